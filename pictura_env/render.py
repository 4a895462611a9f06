"""Museum: Pictura in text and pictures, as a seat sees the table; with the seat None all hands lie open.

Players stand in the order of their seats whoever looks, so that nothing jumps about from move to move. Paintings,
slots, trends and patrons go by their numbers, as in moves and records. A number in square brackets is a legal action of
the seat that looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from env_core.rendering import (
    BACK,
    BACK_LINES,
    GOLD,
    GOLD_DARK,
    GOLD_LIGHT,
    INK,
    INK_SOFT,
    PANEL,
    PANEL_EDGE,
    PAPER,
    PAPER_EDGE,
    TABLE,
    WORDS,
    WORDS_SOFT,
    Box,
    Canvas,
    Colour,
    Point,
    mixed,
    player_name,
)
from pictura_env import rules
from pictura_env.state import (
    ANY,
    DEALT_TRENDS,
    DISCARDING,
    DISCARDING_FAVORS,
    DOMAIN_NAMES,
    EFFECT_NAMES,
    EMPTY,
    EXHIBIT_PAY,
    EXHIBIT_SLOT,
    EXHIBITION,
    EXHIBITS,
    FAVOR_ACTION,
    FAVOR_LIMIT,
    FINAL_MENU,
    FINAL_PUT_DOWN,
    IN_DISCARD,
    IN_HAND,
    IN_MUSEUM,
    INVENTORY,
    INVENTORY_ACTION,
    KEEPING_TREND,
    KIND_ACTION,
    KINDS,
    MENU,
    MUSEUMS,
    NOBODY,
    NOTHING,
    OVER,
    OWN_ACQUISITION,
    PATRON_CLAIMED,
    PATRON_REPLACED,
    PATRONS_SHOWN,
    PERIOD_NAMES,
    PERIODS,
    PUT_DOWN,
    RECOVERING,
    REPLACE_PATRONS,
    REWARD_NAMES,
    REWARD_SPACE,
    REWARD_SPACES,
    ROWS,
    SLOT_ACTION,
    SLOTS,
    SPACE_ACTION,
    TAKE_FAVOR,
    TOKENS_OF_A_KIND,
    TRADE_GIVE,
    TRADE_TAKE,
)

# --- What both have to say -----------------------------------------------------------------------------------------

PERIOD_SHORT = ("Rn", "Ba", "Rc", "Rm", "Im")
DOMAIN_SHORT = ("my", "hi", "re", "la", "st", "po")
KIND_NAMES = (*PERIOD_NAMES, *DOMAIN_NAMES)
KIND_SHORT = (*PERIOD_SHORT, *DOMAIN_SHORT)


def _seats(state: np.void) -> range:
    return range(int(state["num_players"]))


def _name(seat: int, viewer: int | None) -> str:
    return f"{player_name(seat)} (you)" if seat == viewer else player_name(seat)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _legal_for(state: np.void, viewer: int | None) -> set[int]:
    """The legal actions of the one who looks: none unless it is to move."""
    if viewer is None or int(state["seat"]) != viewer:
        return set()
    mask = np.zeros(int(rules.number_of_actions(state)), np.int8)
    rules.write_action_mask(state, mask)
    return set(np.flatnonzero(mask).tolist())


def _paintings_at(state: np.void, place: int) -> list[int]:
    return np.flatnonzero(state["where"] == place).tolist()


def _sees_hand(seat: int, viewer: int | None) -> bool:
    return viewer is None or viewer == seat


def _secret_trend(state: np.void, seat: int, viewer: int | None) -> int | None:
    """A seat's secret trend, where there is one and it may be seen: the own one, and all of them when all is over."""
    trend = int(state["secret_trend"][seat])
    return trend if trend != NOTHING and (_sees_hand(seat, viewer) or state["phase"] == OVER) else None


def _of_kind(state: np.void, painting: int) -> tuple[int, int, int]:
    """Painter, period and domain of a painting."""
    painter, period, domain = (state[f"painting_{what}"][painting] for what in ("painter", "period", "domain"))
    return int(painter), int(period), int(domain)


def _effect(effect: Sequence[int]) -> str:
    name, amount = EFFECT_NAMES[int(effect[0])], int(effect[1])
    return {
        "none": "nothing",
        "prestige": f"{amount} prestige",
        "draw": f"draw {amount}",
        "favor": _counted(amount, "favor"),
        "trade": "trade",
        "recover": f"recover {amount}",
        "free_exhibit": "free exhibit",
        "refresh": "new patrons",
    }[name]


def _request(state: np.void, viewer: int | None) -> str:
    """What is being asked, of whom; or how it ended."""
    if state["phase"] == OVER:
        winners = [player_name(seat) for seat in _seats(state) if state["winning"][seat]]
        cut_off = f", cut off after {int(state['round'])} rounds" if state["truncated"] else ""
        return f"Game over{cut_off}: {' and '.join(winners)} {'share the win' if len(winners) > 1 else 'wins'}."
    seat = int(state["seat"])
    if viewer is None:
        # An illegal action has ended the game, or somebody looks into all hands while it goes on.
        return f"All hands lie open; the turn is with {player_name(seat)}."
    return f"{_name(seat, viewer)}: {_question(state)}."


def _question(state: np.void) -> str:
    chosen, active = int(state["chosen"]), int(state["active"])
    match int(state["phase"]):
        case phase if phase == KEEPING_TREND:
            return "keep one of your three trends secretly"
        case phase if phase == TRADE_TAKE:
            optional = "" if state["trade"] == OWN_ACQUISITION else ", or pass"
            return f"take a painting out of an international museum{optional}"
        case phase if phase == TRADE_GIVE:
            museum = int(state["chosen_from"])
            return f"give a hand card for {_painting(state, chosen)}, taken from museum {museum}"
        case phase if phase == MENU:
            return "choose, or end the turn" if state["action_taken"] else "choose; an action must be taken"
        case phase if phase == EXHIBIT_SLOT:
            return f"choose a slot for {_painting(state, chosen)}{_whose(state, active)}"
        case phase if phase == EXHIBIT_PAY:
            slot = int(state["chosen_slot"])
            return f"pay with a hand card for {_painting(state, chosen)}{_whose(state, active)} in slot {slot}"
        case phase if phase in (PUT_DOWN, FINAL_PUT_DOWN):
            return f"put down the painting picked up from slot {int(state['chosen_slot'])}"
        case phase if phase == REWARD_SPACE:
            return f"choose a reward space for the token of {KIND_NAMES[chosen]}"
        case phase if phase == TAKE_FAVOR:
            return "draw a favor?"
        case phase if phase == REPLACE_PATRONS:
            return "replace all shown patrons?"
        case phase if phase == RECOVERING:
            return f"take back a discard, at most {int(state['recover_left'])} more, or stop"
        case phase if phase == DISCARDING:
            return f"discard down to {int(rules.hand_limit(state, active))} paintings"
        case phase if phase == DISCARDING_FAVORS:
            return f"discard down to {FAVOR_LIMIT} favors"
    return "rearrange once more, or be done"


def _whose(state: np.void, active: int) -> str:
    owner = int(state["chosen_from"])
    return "" if owner == active else f" from the discards of {player_name(owner)}"


def _used_up(state: np.void) -> list[str]:
    """What the turn has used up, and what it has left."""
    if state["phase"] in (KEEPING_TREND, OVER):
        return []
    if state["phase"] in (FINAL_MENU, FINAL_PUT_DOWN):
        return [f"{int(state['moves_made'])} of {rules.FINAL_MOVES} moves"]
    parts = []
    if state["action_taken"] == EXHIBITS:
        limit = int(state["exhibits_per_action"])
        parts.append(f"exhibited {int(state['exhibits'])}" + (f" of {limit}" if limit else ""))
    elif state["action_taken"] == EXHIBITION:
        parts.append("opened an exhibition")
    elif state["action_taken"] == INVENTORY:
        parts.append("took inventory")
    parts += ["played a favor"] * int(state["favor_played"]) + ["claimed a patron"] * int(state["patron_taken"])
    parts.append(f"{int(state['moves_made'])} of {int(state['rearrange_limit'])} moves")
    return parts + ["the next exhibit is free"] * int(state["free_exhibit"])


def _end_in_words(state: np.void) -> str:
    if state["end_token"] == NOBODY:
        return ""
    turns = int(state["last_turns"])
    left = f", {_counted(turns, 'turn')} left" if turns else ""
    return f"end token: {player_name(int(state['end_token']))}{left}"


def _reward(state: np.void, space: int) -> str:
    amount = int(state["space_amount"][space])
    return {
        "acquisition": f"draw {amount} more in each own acquisition",
        "hand_limit": f"hand limit +{amount}",
        "trade": f"+{amount} prestige for each own trade that gains",
        "exhibition": f"+{amount} prestige for each later exhibition",
        "end_per_patron": f"at the end {amount} for each patron claimed",
        "end_per_two_in_gallery": f"at the end {amount} for each two in the main gallery",
    }[REWARD_NAMES[int(state["space_reward"][space])]]


# --- Text ----------------------------------------------------------------------------------------------------------

TEXT_WIDTH = 100
NO_PAINTING = "__"
KIND_CELL = 7


def text(state: np.void, seat: int | None) -> str:
    """The table in plain text, at most 100 columns wide.

    Args:
        state: One state; it is only read.
        seat: Who looks: of hands, favors and secret trends only this seat's are shown. None shows all players'.

    Returns:
        Lines without a newline at the end.
    """
    legal = _legal_for(state, seat)
    blocks = [
        _heading(state),
        _seats_in_text(state, seat),
        _trends_in_text(state, seat, legal),
        _museums_in_text(state, legal),
        _patrons_in_text(state, seat, legal),
        _exhibitions_in_text(state, seat, legal),
        _spaces_in_text(state, seat, legal),
        _favors_in_text(state, seat, legal),
        *_own_museums_in_text(state, seat, legal),
        _discards_in_text(state, seat, legal),
        *(_hand_in_text(state, other, seat, legal) for other in _seats(state) if _sees_hand(other, seat)),
        [*_legend(), *_turn_in_text(state), *_answers(state, legal), _request(state, seat)],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def _painting(state: np.void, painting: int) -> str:
    return f"{painting} {_code(state, painting)}"


def _code(state: np.void, painting: int) -> str:
    painter, period, domain = _of_kind(state, painting)
    return f"{PERIOD_SHORT[period]}{painter}{DOMAIN_SHORT[domain]}"


def _number(number: int, legal: set[int], action: int | None = None) -> str:
    """A card's number; in brackets if it, or another number that stands for it, is a legal action."""
    return f"[{number}]" if (number if action is None else action) in legal else f"{number} "


def _bracket(action: int, legal: set[int]) -> str:
    return f" [{action}]" if action in legal else ""


def _trend(state: np.void, trend: int) -> str:
    for_period, for_domain, for_painter = state["trend_values"][trend].tolist()
    painter, period, domain = (int(state[f"trend_{what}"][trend]) for what in ("painter", "period", "domain"))
    return f"#{trend} {PERIOD_SHORT[period]}+{for_period} p{painter}+{for_painter} {DOMAIN_SHORT[domain]}+{for_domain}"


def _asked(state: np.void, patron: int) -> str:
    """What a patron asks for: ``2 Ba la``, ``2 p7``."""
    parts = [str(int(state["patron_count"][patron]))]
    for what, names in (("period", PERIOD_SHORT), ("painter", None), ("domain", DOMAIN_SHORT)):
        wanted = int(state[f"patron_{what}"][patron])
        if wanted != ANY:
            parts.append(names[wanted] if names else f"p{wanted}")
    return " ".join(parts)


def _asked_in_words(state: np.void, patron: int) -> str:
    parts = [str(int(state["patron_count"][patron]))]
    for what, names in (("period", PERIOD_NAMES), ("domain", DOMAIN_NAMES)):
        wanted = int(state[f"patron_{what}"][patron])
        if wanted != ANY:
            parts.append(names[wanted])
    if state["patron_painter"][patron] != ANY:
        parts.append(f"by painter {int(state['patron_painter'][patron])}")
    return " ".join(parts)


def _fitting(state: np.void, seat: int, patron: int) -> int:
    """Exhibited paintings of a seat that a patron would count."""
    count = 0
    for hanging in state["slots"][seat].tolist():
        if hanging != EMPTY:
            found = _of_kind(state, hanging - 1)
            wanted = (int(state[f"patron_{what}"][patron]) for what in ("painter", "period", "domain"))
            count += all(want in (ANY, has) for want, has in zip(wanted, found, strict=True))
    return count


def _wrapped(label: str, items: Iterable[str]) -> list[str]:
    """Items behind a label, in as many lines as they need."""
    lines = [label]
    words = list(items) or ["none"]
    for place, item in enumerate(words):
        word = item + ("," if place < len(words) - 1 else "")
        if len(lines[-1]) + 1 + len(word) > TEXT_WIDTH:
            lines.append("   ")
        lines[-1] += f" {word}"
    return lines


def _heading(state: np.void) -> list[str]:
    sizes = [
        _counted(int(state[f"{deck}_left"]), what)
        for deck, what in (("painting", "painting"), ("trend", "trend"), ("favor", "favor"), ("patron", "patron"))
    ]
    rounds = f"round {int(state['round']) + (state['phase'] != OVER)} of at most {int(state['max_rounds'])}"
    first = f"{player_name(int(state['first_seat']))} was first"
    end = _end_in_words(state)
    return [
        f"Museum: Pictura, {int(state['num_players'])} players; {rounds}; {first}.",
        f"In the decks: {', '.join(sizes)}{'; ' + end if end else ''}.",
    ]


def _seats_in_text(state: np.void, viewer: int | None) -> list[str]:
    heads = ("prestige", "favor at", "hand", "favors", "discards", "patrons", "exhibitions")
    lines = ["  player            " + "  ".join(heads)]
    for seat in _seats(state):
        numbers = [
            int(state[field][seat])
            for field in (
                "prestige",
                "markers",
                "hand_sizes",
                "favors_held",
                "discard_sizes",
                "patrons_claimed",
                "exhibitions",
            )
        ]
        mark = ">" if seat == int(state["seat"]) else " "
        cells = "  ".join(f"{number:>{len(head)}}" for number, head in zip(numbers, heads, strict=True))
        turn = "  active" if seat == int(state["active"]) and state["phase"] not in (KEEPING_TREND, OVER) else ""
        lines.append(f"{mark} {_name(seat, viewer):<18}{cells}{turn}")
    return lines


def _trends_in_text(state: np.void, viewer: int | None, legal: set[int]) -> list[str]:
    lines = [f"Public trend {_trend(state, int(state['public_trend']))}"]
    lines += _wrapped("Used before:", (_trend(state, trend) for trend in np.flatnonzero(state["used_trends"]).tolist()))
    for seat in _seats(state):
        trend = _secret_trend(state, seat, viewer)
        whose = "Your secret trend" if seat == viewer else f"Secret trend of {player_name(seat)}"
        if trend is not None:
            lines.append(f"{whose} {_trend(state, trend)}")
        dealt = [int(trend) for trend in state["dealt_trends"][seat] if trend != NOTHING]
        if _sees_hand(seat, viewer) and dealt and state["phase"] != OVER:
            first = int(rules.trend_action(state))
            words = (
                f"{_trend(state, trend)}{_bracket(first + place, legal)}"
                for place, trend in enumerate(dealt)
                if seat == viewer or trend != int(state["secret_trend"][seat])
            )
            lines += _wrapped(f"Dealt to {'you' if seat == viewer else player_name(seat)}:", words)
    return lines


def _museums_in_text(state: np.void, legal: set[int]) -> list[str]:
    lines = ["International museums: trend, and what each painting is worth there"]
    for museum in range(MUSEUMS):
        trend = int(state["museum_trends"][museum])
        line = f"  {museum}  {_trend(state, trend):<20}"
        for painting in _paintings_at(state, IN_MUSEUM + museum):
            worth = int(rules.best(state, painting, trend))
            line += f" {_number(painting, legal):>5} {_code(state, painting):<6} {worth} "
        lines.append(line)
    return lines


def _patrons_in_text(state: np.void, viewer: int | None, legal: set[int]) -> list[str]:
    who = "each player has" if viewer is None else "you have"
    lines = [f"Patrons shown (place, number): exhibits asked for, what is given, exhibits that {who}"]
    first = int(rules.claim_action(state))
    seats = _seats(state) if viewer is None else [viewer]
    for place, patron in enumerate(state["shown"].tolist()):
        if patron == NOTHING:
            lines.append(f"  {place}  nobody")
            continue
        points = f"{int(state['patron_points'][patron])} prestige{_bracket(first + 2 * place, legal)}"
        reward = f"{_effect(state['patron_effect'][patron])}{_bracket(first + 2 * place + 1, legal)}"
        has = " ".join(str(_fitting(state, seat, patron)) for seat in seats)
        # Actions stand beside what is given to the one who looks only.
        given = f"{points} or {reward}".ljust(28 if viewer is None else 40)
        lines.append(f"  {place}  {patron:>2}  {_asked_in_words(state, patron):<42}{given} has {has}")
    for label, place in [
        *((f"Claimed by {_name(seat, viewer)}:", PATRON_CLAIMED + seat) for seat in _seats(state)),
        ("Replaced:", PATRON_REPLACED),
    ]:
        found = np.flatnonzero(state["patron_where"] == place).tolist()
        if found:
            lines += _wrapped(label, (f"{patron} ({_asked(state, patron)})" for patron in found))
    return lines


def _exhibitions_in_text(state: np.void, viewer: int | None, legal: set[int]) -> list[str]:
    """For each kind the tokens left, and for each player its largest collection, and whether it has shown the kind."""

    def line(label: str, cells: Iterable[str]) -> str:
        return f"{label:<18}" + "".join(f"{cell:<{KIND_CELL}}" for cell in cells)

    lines = ["Exhibitions: tokens left, each player's largest collection of the kind, * shown already"]
    lines.append(line("  kind", KIND_SHORT))
    tokens = []
    for kind in range(KINDS):
        left = int(state["tokens_left"][kind])
        values = state["token_values"][kind].tolist()[TOKENS_OF_A_KIND - left :]
        tokens.append(",".join(map(str, values)) or "-")
    lines.append(line("  tokens left", tokens))
    for seat in _seats(state):
        cells = []
        for kind in range(KINDS):
            size = int(rules.largest_collection(state, seat, kind))
            shown = "*" if state["kinds_shown"][seat, kind] else ""
            action = _bracket(KIND_ACTION + kind, legal).strip() if seat == viewer else ""
            cells.append(f"{size or '.'}{shown}{action}")
        lines.append(line(f"  {_name(seat, viewer)}", cells))
    return lines


def _spaces_in_text(state: np.void, viewer: int | None, legal: set[int]) -> list[str]:
    lines = [f"{'Reward spaces':<56}" + "".join(f"{player_name(seat):<10}" for seat in _seats(state))]
    for space in range(REWARD_SPACES):
        tokens = [int(state["spaces"][seat, space]) for seat in _seats(state)]
        cells = "".join(f"{KIND_SHORT[token - 1] if token else '.':<10}" for token in tokens)
        lines.append(f"  {space}  {_reward(state, space) + _bracket(SPACE_ACTION + space, legal):<51}{cells}")
    return lines


def _favors_in_text(state: np.void, viewer: int | None, legal: set[int]) -> list[str]:
    seats = [seat for seat in _seats(state) if _sees_hand(seat, viewer)]
    heads = ["yours"] if viewer is not None else [player_name(seat) for seat in seats]
    lines = [f"{'Favors: upper or lower half':<48}" + "  ".join(heads) + "  played"]
    discard = int(rules.discard_favor_action(state))
    for favor in range(int(state["favor_types"])):
        halves = " or ".join(
            _effect(state["favor_effects"][favor, half]) + _bracket(FAVOR_ACTION + 2 * favor + half, legal)
            for half in range(2)
        )
        put_away = f" discard{_bracket(discard + favor, legal)}" if discard + favor in legal else ""
        cells = "  ".join(
            f"{int(state['favors'][seat, favor]):>{len(head)}}" for seat, head in zip(seats, heads, strict=True)
        )
        played = f"  {int(state['used_favors'][favor])} of {int(state['favor_copies'][favor])}"
        lines.append(f"  {favor:<2} {halves + put_away:<43}{cells}{played}")
    return lines


def _own_museums_in_text(state: np.void, viewer: int | None, legal: set[int]) -> list[list[str]]:
    """The viewer's museum with the numbers that name its slots, then the others' two by two."""
    blocks = [] if viewer is None else [_wide_museum(state, viewer, legal)]
    others = [seat for seat in _seats(state) if seat != viewer]
    for start in range(0, len(others), 2):
        pair = [_small_museum(state, seat) for seat in others[start : start + 2]]
        blocks.append(["".join(f"{part:<50}" for part in parts) for parts in zip(*pair, strict=True)])
    return blocks


def _collections(state: np.void, seat: int) -> str:
    return f"collections worth {int(rules.value_of_collections(state, seat))}"


def _wide_museum(state: np.void, seat: int, legal: set[int]) -> list[str]:
    worth = "" if state["phase"] == OVER else f"; the end would now add {int(rules.final_points(state, seat))}"
    lines = [f"Your museum: {_collections(state, seat)}{worth}"]
    lines.append(" " * 11 + "".join(f"{'+' + str(column):<15}" for column in range(ROWS)))
    picked = int(state["chosen_slot"]) if int(state["active"]) == seat else NOTHING
    for row in range(ROWS):
        line = f"  slot {row * ROWS:>2} +"
        for slot in range(row * ROWS, (row + 1) * ROWS):
            hanging = int(state["slots"][seat, slot])
            cell = NO_PAINTING if hanging == EMPTY else _code(state, hanging - 1)
            mark = "*" if slot == picked else ""
            line += f" {cell + mark + _bracket(SLOT_ACTION + slot, legal):<14}"
        lines.append(line)
    return lines


def _small_museum(state: np.void, seat: int) -> list[str]:
    lines = [f"Museum of {player_name(seat)}: {_collections(state, seat)}"]
    picked = int(state["chosen_slot"]) if int(state["active"]) == seat else NOTHING
    for row in range(ROWS):
        line = "  "
        for slot in range(row * ROWS, (row + 1) * ROWS):
            hanging = int(state["slots"][seat, slot])
            cell = NO_PAINTING if hanging == EMPTY else _code(state, hanging - 1)
            line += f"{cell + ('*' if slot == picked else ''):<8}"
        lines.append(line)
    return lines


def _discards_in_text(state: np.void, viewer: int | None, legal: set[int]) -> list[str]:
    lines = []
    for seat in _seats(state):
        pile = _paintings_at(state, IN_DISCARD + seat)
        if pile:
            whose = "Your discards" if seat == viewer else f"Discards of {player_name(seat)}"
            items = (f"{_number(painting, legal).strip()} {_code(state, painting)}" for painting in pile)
            lines += _wrapped(f"{whose}:", items)
    return lines


def _hand_in_text(state: np.void, seat: int, viewer: int | None, legal: set[int]) -> list[str]:
    """A hand, with what each painting is worth against each trend that its owner knows."""
    whose = "Your hand" if seat == viewer else f"Hand of {player_name(seat)}"
    hand = _paintings_at(state, IN_HAND + seat)
    limit = f"at most {int(rules.hand_limit(state, seat))} when the turn ends"
    if not hand:
        return [f"{whose} ({limit}): empty"]
    secret = _secret_trend(state, seat, viewer)
    lines = [f"{whose} ({limit}), and what each painting is worth by each trend:"]
    for painting in hand:
        public = int(rules.best(state, painting, int(state["public_trend"])))
        there = " ".join(str(int(rules.best(state, painting, int(trend)))) for trend in state["museum_trends"])
        line = f"  {_number(painting, legal):>5} {_code(state, painting):<8} public {public}   museums {there}"
        lines.append(line if secret is None else f"{line}   secret {int(rules.total(state, painting, secret))}")
    return lines


def _legend() -> list[str]:
    periods = ", ".join(f"{short} {name}" for short, name in zip(PERIOD_SHORT, PERIOD_NAMES, strict=True))
    domains = ", ".join(f"{short} {name}" for short, name in zip(DOMAIN_SHORT, DOMAIN_NAMES, strict=True))
    return [
        "Ba7la is a Baroque landscape by painter 7; a trend Ba+1 p7+3 la+2 says what each match is worth.",
        f"Periods: {periods}.",
        f"Domains: {domains}.",
        "The main gallery is the middle row and the middle column. [Numbers] in brackets are legal actions.",
    ]


def _turn_in_text(state: np.void) -> list[str]:
    used = _used_up(state)
    return _wrapped(f"Turn of {player_name(int(state['active']))}:", used) if used else []


def _answers(state: np.void, legal: set[int]) -> list[str]:
    """The legal actions that no card or place of the table stands for."""
    yes = int(rules.yes_action(state))
    no = "done" if state["phase"] in (MENU, FINAL_MENU) else "no" if yes in legal else "pass"
    words = {INVENTORY_ACTION: "inventory", yes: "yes", yes + 1: no}
    found = [f"[{action}] {word}" for action, word in words.items() if action in legal]
    return [f"Also: {', '.join(found)}."] if found else []


# --- Picture -------------------------------------------------------------------------------------------------------

WIDTH = 1280
HEIGHT = 720
MARGIN = 12
GAP = 8
BAR_HEIGHT = 46
TABLE_TOP = BAR_HEIGHT + GAP
TABLE_HEIGHT = 140
MUSEUM_WIDTH = 178
TREND_WIDTH = 66
TRACK_TOP = TABLE_TOP + TABLE_HEIGHT + GAP
TRACK_HEIGHT = 74
TOKENS_TOP = TRACK_TOP + TRACK_HEIGHT + GAP
TOKENS_HEIGHT = 30
PLAYERS_TOP = TOKENS_TOP + TOKENS_HEIGHT + GAP
PLAYERS_HEIGHT = HEIGHT - PLAYERS_TOP - GAP
HEADER_HEIGHT = 30
STRIP_HEIGHT = 50
SLOT_SIZE_BY_PLAYERS = {2: 59, 3: 40, 4: 40}
CARD_SIZE_BY_PLAYERS = {2: (48, 60), 3: (40, 44), 4: (37, 44)}
FAVOR_WIDTH = 53
LONGEST_ON_A_CARD = 9
CHIP = 22

WALL: Colour = (226, 217, 198)
FLOOR: Colour = (250, 246, 237)
GALLERY_FLOOR: Colour = (240, 224, 184)
FAINT: Colour = (206, 196, 176)
LIGHT: Colour = (255, 255, 255)
DARK: Colour = (0, 0, 0)

PERIOD_PAINT: tuple[Colour, ...] = ((188, 78, 66), (214, 164, 62), (216, 138, 168), (90, 148, 96), (84, 136, 196))
"""Renaissance red, Baroque ochre, Rococo pink, Romanticism green, Impressionism blue."""

SEAT_PAINT: tuple[Colour, ...] = ((236, 126, 88), (96, 176, 226), (136, 200, 116), (196, 150, 226))


def picture(state: np.void, seat: int | None) -> np.ndarray:
    """The table as a picture, always of the same size.

    Args:
        state: One state; it is only read.
        seat: Who looks: of hands, favors and secret trends only this seat's lie face up. None turns all of them up.

    Returns:
        RGB, uint8 (height, width, 3).

    Raises:
        MissingExtraError: pygame-ce is not installed.
    """
    canvas = Canvas(WIDTH, HEIGHT, TABLE)
    _draw_bar(canvas, state, seat)
    for museum in range(MUSEUMS):
        left = MARGIN + museum * (MUSEUM_WIDTH + GAP)
        _draw_museum(canvas, state, museum, (left, TABLE_TOP, MUSEUM_WIDTH, TABLE_HEIGHT))
    left = MARGIN + MUSEUMS * (MUSEUM_WIDTH + GAP)
    _draw_public_trend(canvas, state, (left, TABLE_TOP, TREND_WIDTH, TABLE_HEIGHT))
    left += TREND_WIDTH + GAP
    _draw_market(canvas, state, seat, (left, TABLE_TOP, WIDTH - MARGIN - left, TABLE_HEIGHT))
    _draw_track(canvas, state, (MARGIN, TRACK_TOP, WIDTH - 2 * MARGIN, TRACK_HEIGHT))
    _draw_tokens(canvas, state, (MARGIN, TOKENS_TOP, WIDTH - 2 * MARGIN, TOKENS_HEIGHT))
    players = int(state["num_players"])
    width = (WIDTH - 2 * MARGIN - (players - 1) * GAP) / players
    for other in range(players):
        box = (MARGIN + other * (width + GAP), PLAYERS_TOP, width, PLAYERS_HEIGHT)
        _draw_player(canvas, state, seat, other, box)
    return canvas.array()


def _draw_bar(canvas: Canvas, state: np.void, viewer: int | None) -> None:
    """Title, round, decks, and what is being asked."""
    canvas.rectangle((0, 0, canvas.width, BAR_HEIGHT), PANEL)
    canvas.rectangle((0, BAR_HEIGHT - 2, canvas.width, 2), GOLD_DARK)
    middle = BAR_HEIGHT / 2 - 1
    left = MARGIN + canvas.text("Museum: Pictura", (MARGIN, middle), 34, GOLD_LIGHT, anchor="midleft") + 22
    rounds = f"round {int(state['round']) + (state['phase'] != OVER)}"
    left += canvas.text(rounds, (left, middle), 20, WORDS, anchor="midleft") + 20
    for deck, what in (("painting", "paintings"), ("trend", "trends"), ("favor", "favors"), ("patron", "patrons")):
        canvas.card_back((left, middle - 13, 19, 26), BACK, BACK_LINES)
        canvas.text(str(int(state[f"{deck}_left"])), (left + 25, middle - 7), 20, WORDS, anchor="midleft")
        canvas.text(what, (left + 25, middle + 9), 15, WORDS_SOFT, anchor="midleft")
        left += 84
    place, room = canvas.width - MARGIN, canvas.width - MARGIN - left
    used = ", ".join(_used_up(state))
    request = _request(state, viewer)
    canvas.text(request, (place, middle - 8 if used else middle), 22, WORDS, anchor="midright", max_width=room)
    canvas.text(used, (place, middle + 11), 17, WORDS_SOFT, anchor="midright", max_width=room)


def _draw_museum(canvas: Canvas, state: np.void, museum: int, box: Box) -> None:
    """An international museum: its trend, and its paintings with what each is worth there."""
    left, top, width, height = box
    trend = int(state["museum_trends"][museum])
    canvas.panel(box, WALL, PAPER_EDGE)
    canvas.text(f"Museum {museum}", (left + 8, top + 12), 18, INK, anchor="midleft")
    _draw_trend(canvas, state, trend, (left + 7, top + 24, 44, height - 32))
    size = (height - 32 - 4) / 2
    for place, painting in enumerate(_paintings_at(state, IN_MUSEUM + museum)):
        column, row = place % 2, place // 2
        frame = (left + 58 + column * (size + 6), top + 24 + row * (size + 4), size + 2, size)
        _draw_painting(canvas, state, painting, frame)
        worth = int(rules.best(state, painting, trend))
        if worth:
            _draw_badge(canvas, (frame[0] + frame[2] - 7, frame[1] + 7), worth)


def _draw_badge(canvas: Canvas, place: Point, number: int) -> None:
    canvas.circle(place, 9, GOLD_DARK)
    canvas.circle(place, 8, GOLD_LIGHT)
    canvas.text(str(number), (place[0], place[1] + 0.5), 18, INK)


def _draw_trend(canvas: Canvas, state: np.void, trend: int, box: Box) -> None:
    """A trend card: what a period, a domain and a painter are worth."""
    left, top, width, height = box
    canvas.panel(box, PAPER, PAPER_EDGE, radius=4)
    values = state["trend_values"][trend].tolist()
    period, domain = int(state["trend_period"][trend]), int(state["trend_domain"][trend])
    row = (height - 6) / 3
    middle, mark, number = left + 3 + row / 2, min(row, width / 2) * 0.36, left + width - 9
    rows = [top + 3 + row * (place + 0.5) for place in range(3)]
    canvas.rectangle((middle - mark, rows[0] - mark, 2 * mark, 2 * mark), PERIOD_PAINT[period], radius=2)
    _draw_symbol(canvas, domain, (middle, rows[1]), mark, INK, PAPER)
    _draw_painter(canvas, int(state["trend_painter"][trend]), (middle, rows[2]), mark)
    for value, line in zip(values, rows, strict=True):
        canvas.text(f"{value}", (number, line), 20 if height > 60 else 17, INK)


def _draw_painter(canvas: Canvas, painter: int, place: Point, radius: float) -> None:
    canvas.circle(place, radius + 1, INK_SOFT)
    canvas.circle(place, radius, PAPER)
    canvas.text(str(painter), (place[0], place[1] + 0.5), round(radius * 1.75), INK)


def _draw_painting(canvas: Canvas, state: np.void, painting: int, frame: Box, *, number: bool = True) -> None:
    """A framed canvas in its period's colour: the domain's symbol, the painter, and its own number."""
    left, top, width, height = frame
    painter, period, domain = _of_kind(state, painting)
    colour = PERIOD_PAINT[period]
    canvas.shade((left + 1, top + 1.5, width, height), 0.25, radius=2)
    canvas.rectangle(frame, GOLD, radius=2, outline=GOLD_DARK)
    scene = (left + 2.5, top + 2.5, width - 5, height - 5)
    canvas.rectangle(scene, colour)
    light, dark = mixed(colour, LIGHT, 0.72), mixed(colour, DARK, 0.5)
    room = height - 18 if number else height - 8
    with canvas.inside(scene):
        _draw_symbol(
            canvas, domain, (left + width / 2 + 3, top + 4 + room / 2), min(room, width - 12) * 0.4, dark, light
        )
    _draw_painter(canvas, painter, (left + 10, top + 10), 7.5)
    if number:
        plate = (left + width / 2 - 12, top + height - 16, 24, 13)
        canvas.rectangle(plate, PAPER, radius=2)
        canvas.text(str(painting), (left + width / 2, top + height - 9.5), 16, INK)


def _draw_symbol(canvas: Canvas, domain: int, centre: Point, radius: float, dark: Colour, light: Colour) -> None:
    """The symbol of a domain, so that nobody has to read letters."""
    x, y = centre

    def at(*points: Point) -> list[Point]:
        return [(x + radius * across, y + radius * down) for across, down in points]

    def box(left: float, top: float, width: float, height: float) -> Box:
        return x + radius * left, y + radius * top, radius * width, radius * height

    match DOMAIN_NAMES[domain]:
        case "mythology":
            # A trident.
            canvas.rectangle(box(-0.12, -0.9, 0.24, 1.9), dark)
            canvas.rectangle(box(-0.7, -0.15, 1.4, 0.24), dark)
            for prong in (-0.7, 0.46):
                canvas.rectangle(box(prong, -0.7, 0.24, 0.7), dark)
            for point in (-0.58, 0.0, 0.58):
                tip = -1.0 if point == 0 else -0.85
                canvas.polygon(at((point - 0.27, tip + 0.4), (point, tip), (point + 0.27, tip + 0.4)), dark)
        case "history":
            # A crown.
            crown = [(-0.9, 0.4), (-0.9, -0.6), (-0.42, -0.1), (0, -0.8), (0.42, -0.1), (0.9, -0.6), (0.9, 0.4)]
            canvas.polygon(at(*crown), dark)
            canvas.rectangle(box(-0.9, 0.5, 1.8, 0.3), dark)
            for point, height in ((-0.9, -0.65), (0, -0.85), (0.9, -0.65)):
                canvas.circle(at((point, height))[0], radius * 0.15, light)
        case "religion":
            # A cross.
            canvas.rectangle(box(-0.16, -1.0, 0.32, 2.0), dark)
            canvas.rectangle(box(-0.62, -0.5, 1.24, 0.32), dark)
        case "landscape":
            # The sun above two mountains.
            canvas.circle(at((0.55, -0.55))[0], radius * 0.27, light)
            canvas.polygon(at((-1.1, 0.85), (-0.35, -0.7), (0.45, 0.85)), dark)
            canvas.polygon(at((-0.1, 0.85), (0.5, -0.1), (1.1, 0.85)), dark)
            canvas.polygon(at((-0.56, -0.27), (-0.35, -0.7), (-0.13, -0.27)), light)
        case "still life":
            # Fruit in a bowl.
            for fruit in (-0.42, 0.42):
                canvas.circle(at((fruit, -0.12))[0], radius * 0.4, light)
            canvas.circle(at((0, -0.5))[0], radius * 0.4, light)
            canvas.polygon(at((-0.95, 0.1), (0.95, 0.1), (0.5, 0.7), (-0.5, 0.7)), dark)
            canvas.rectangle(box(-0.35, 0.7, 0.7, 0.2), dark)
        case "portrait":
            # Head and shoulders.
            canvas.circle(at((0, -0.4))[0], radius * 0.45, dark)
            canvas.ellipse(box(-0.8, 0.15, 1.6, 1.6), dark)


def _draw_kind(canvas: Canvas, kind: int, centre: Point, radius: float) -> None:
    """A token of a kind: a period is its colour, a domain its symbol."""
    canvas.circle(centre, radius + 1, GOLD_DARK)
    canvas.circle(centre, radius, PERIOD_PAINT[kind] if kind < PERIODS else PAPER)
    if kind >= PERIODS:
        _draw_symbol(canvas, kind - PERIODS, centre, radius * 0.68, INK, INK_SOFT)


def _draw_public_trend(canvas: Canvas, state: np.void, box: Box) -> None:
    left, top, width, height = box
    canvas.panel(box, PANEL, GOLD)
    canvas.text("Public", (left + width / 2, top + 12), 18, GOLD_LIGHT)
    _draw_trend(canvas, state, int(state["public_trend"]), (left + 8, top + 24, width - 16, height - 48))
    canvas.text(f"{int(state['used_trends'].sum())} used", (left + width / 2, top + height - 12), 16, WORDS_SOFT)


def _draw_market(canvas: Canvas, state: np.void, viewer: int | None, box: Box) -> None:
    """The patrons shown: how many of what they ask for, what they give, and how much of it the viewer has."""
    left, top, width, height = box
    card_width = (width - (PATRONS_SHOWN - 1) * 6) / PATRONS_SHOWN
    for place, patron in enumerate(state["shown"].tolist()):
        card = (left + place * (card_width + 6), top, card_width, height)
        if patron == NOTHING:
            canvas.rectangle(card, TABLE, radius=6, outline=PANEL_EDGE)
            continue
        met = viewer is not None and bool(rules.meets(state, viewer, patron))
        canvas.panel(card, PAPER, GOLD if met else PAPER_EDGE, radius=6, thickness=3 if met else 1)
        middle = card[0] + card_width / 2
        canvas.text(f"patron {patron}", (middle, top + 12), 16, INK_SOFT)
        _draw_wish(canvas, state, patron, (card[0] + 6, top + 22, card_width - 12, 44))
        if viewer is not None:
            count = int(state["patron_count"][patron])
            has = f"you have {_fitting(state, viewer, patron)} of {count}"
            canvas.text(has, (middle, top + 76), 16, INK if met else INK_SOFT, max_width=card_width - 8)
        canvas.rectangle((card[0] + 8, top + 87, card_width - 16, 1), FAINT)
        canvas.text(f"{int(state['patron_points'][patron])} prestige", (middle, top + 100), 18, INK)
        canvas.text(
            f"or {_effect(state['patron_effect'][patron])}", (middle, top + 120), 18, INK, max_width=card_width - 8
        )


def _draw_wish(canvas: Canvas, state: np.void, patron: int, box: Box) -> None:
    """How many exhibits a patron asks for, and their painter, period and domain."""
    left, top, width, height = box
    painter, period, domain = (int(state[f"patron_{what}"][patron]) for what in ("painter", "period", "domain"))
    middle = top + height / 2
    canvas.text(str(int(state["patron_count"][patron])), (left + 9, middle), 30, INK)
    frame = (left + 22, top, width - 24, height)
    colour = PAPER if period == ANY else PERIOD_PAINT[period]
    canvas.rectangle(frame, colour, radius=3, outline=GOLD_DARK)
    marks = (painter != ANY) + (domain != ANY)
    centre = frame[0] + frame[2] / 2
    if domain != ANY:
        place = (centre + (12 if marks == 2 else 0), middle)
        _draw_symbol(canvas, domain, place, 14, mixed(colour, DARK, 0.55), mixed(colour, LIGHT, 0.6))
    if painter != ANY:
        _draw_painter(canvas, painter, (centre - (14 if marks == 2 else 0), middle), 13)


def _draw_track(canvas: Canvas, state: np.void, box: Box) -> None:
    """The prestige track, a lane for each player: a disc with its prestige, a flag where the favor marker stands.

    There is no upper end: what lies beyond the last space goes round again; the disc's number tells.
    """
    left, top, width, height = box
    canvas.panel(box, PANEL, PANEL_EDGE)
    last = int(state["end_prestige"])
    first, step = left + 26, (width - 52) / last
    players = int(state["num_players"])
    lanes_top, lane = top + 4, (height - 22) / players
    scale = top + height - 9

    def across(prestige: int) -> float:
        return first + step * (prestige if prestige <= last else (prestige - 1) % last + 1)

    marked = range(0, last + 1, max(1, round(last / 10)))
    for space in range(last + 1):
        is_marked = space in marked or space == last
        shade = PANEL_EDGE if is_marked else mixed(PANEL, PANEL_EDGE, 0.45)
        canvas.rectangle((across(space) - 0.5, lanes_top, 1, height - 22), GOLD_DARK if space == last else shade)
    for space in marked:
        canvas.text(str(space), (across(space), scale), 16, WORDS_SOFT)
    if last not in marked:
        canvas.text(str(last), (across(last), scale), 16, WORDS_SOFT)
    if state["end_token"] == NOBODY:
        canvas.circle((across(last) + 17, lanes_top + 12), 9, GOLD_DARK)
        canvas.text(f"+{int(state['end_token_value'])}", (across(last) + 17, lanes_top + 12), 15, WORDS)
    for seat in range(players):
        middle = lanes_top + lane * (seat + 0.5)
        colour = SEAT_PAINT[seat]
        marker, prestige = int(state["markers"][seat]), int(state["prestige"][seat])
        flag, half = across(marker), min(lane / 2 - 0.5, 7)
        points = [(flag, middle - half), (flag + half, middle), (flag, middle + half), (flag - half, middle)]
        canvas.polygon(points, colour)
        canvas.text(str(marker), (flag + half + 3, middle), 14, colour, anchor="midleft")
        reach = min(lane - 1, 18)
        pill = (across(prestige) - 12, middle - reach / 2, 24, reach)
        canvas.rectangle(pill, colour, radius=reach / 2, outline=INK)
        canvas.text(str(prestige), (across(prestige), middle + 0.5), 17 if reach > 14 else 15, INK, max_width=21)


def _draw_tokens(canvas: Canvas, state: np.void, box: Box) -> None:
    """The exhibition tokens left, and the painting that is on its way."""
    left, top, width, height = box
    canvas.panel(box, PANEL, PANEL_EDGE)
    middle = top + height / 2
    place = left + 10 + canvas.text("Tokens left", (left + 10, middle), 18, WORDS_SOFT, anchor="midleft") + 14
    for kind in range(KINDS):
        remaining = int(state["tokens_left"][kind])
        _draw_kind(canvas, kind, (place + 9, middle), 9)
        values = state["token_values"][kind].tolist()[TOKENS_OF_A_KIND - remaining :]
        words = " ".join(map(str, values)) or "-"
        canvas.text(words, (place + 24, middle + 0.5), 19, WORDS if values else WORDS_SOFT, anchor="midleft")
        place += 62
    chosen, right = int(state["chosen"]), left + width - 10.0
    if chosen != NOTHING:
        if state["phase"] == REWARD_SPACE:
            _draw_kind(canvas, chosen, (right - 12, middle), 10)
        else:
            _draw_painting(canvas, state, chosen, (right - 30, top + 2, 30, height - 4), number=False)
            right -= 12 + canvas.text(str(chosen), (right - 36, middle), 19, WORDS, anchor="midright")
        canvas.text("on its way", (right - 36, middle), 18, WORDS_SOFT, anchor="midright")
    else:
        canvas.text(_end_in_words(state).capitalize(), (right, middle), 19, GOLD_LIGHT, anchor="midright")


def _draw_player(canvas: Canvas, state: np.void, viewer: int | None, seat: int, box: Box) -> None:
    """A player: header, museum, reward spaces, hand; below secret trend, favors and discards."""
    left, top, width, height = box
    over = state["phase"] == OVER
    bright = bool(state["winning"][seat]) if over else seat == int(state["seat"])
    canvas.panel(box, PANEL, GOLD if bright else PANEL_EDGE, thickness=2.5 if bright else 1)
    _draw_header(canvas, state, viewer, seat, (left, top, width, HEADER_HEIGHT))
    players = int(state["num_players"])
    side = SLOT_SIZE_BY_PLAYERS[players] * ROWS
    top += HEADER_HEIGHT
    _draw_own_museum(canvas, state, seat, (left + 10, top, side, side))
    beside = left + 10 + side + GAP
    spaces_width = 84 if players == 2 else left + width - 10 - beside
    _draw_spaces(canvas, state, seat, (beside, top, spaces_width, side))
    strip = PLAYERS_TOP + height - STRIP_HEIGHT - 6
    if players == 2:
        hand_left = beside + spaces_width + GAP
        hand = (hand_left, top, left + width - 10 - hand_left, strip - 6 - top)
    else:
        hand = (left + 10, top + side + 6, width - 20, strip - 6 - top - side - 6)
    _draw_hand(canvas, state, viewer, seat, hand)
    _draw_strip(canvas, state, viewer, seat, (left + 10, strip, width - 20, STRIP_HEIGHT))


def _draw_header(canvas: Canvas, state: np.void, viewer: int | None, seat: int, box: Box) -> None:
    left, top, width, height = box
    middle = top + height / 2
    canvas.circle((left + 22, middle), 12, SEAT_PAINT[seat])
    canvas.text(str(int(state["prestige"][seat])), (left + 22, middle + 0.5), 20, INK, max_width=20)
    name = canvas.text(_name(seat, viewer), (left + 40, middle), 21, WORDS, anchor="midleft")
    place = left + 40 + name + 8
    if state["end_token"] == seat:
        canvas.circle((place + 9, middle), 9, GOLD)
        canvas.text(f"+{int(state['end_token_value'])}", (place + 9, middle + 0.5), 15, INK, max_width=16)
        place += 24
    words = [
        f"{int(state['hand_sizes'][seat])} in hand",
        _counted(int(state["patrons_claimed"][seat]), "patron"),
    ]
    if int(state["active"]) == seat and state["phase"] not in (KEEPING_TREND, OVER):
        words.append("active")
    room = left + width - 12 - place
    canvas.text(", ".join(words), (left + width - 12, middle), 17, WORDS_SOFT, anchor="midright", max_width=room)


def _draw_own_museum(canvas: Canvas, state: np.void, seat: int, box: Box) -> None:
    """A player's museum; the floor of the main gallery is golden, a slot picked up or chosen is ringed."""
    left, top, width, height = box
    size = width / ROWS
    canvas.rectangle((left - 2, top - 2, width + 4, height + 4), WALL, radius=3)
    chosen = int(state["chosen_slot"]) if seat == int(state["active"]) else NOTHING
    for slot in range(SLOTS):
        row, column = divmod(slot, ROWS)
        frame = (left + column * size + 1, top + row * size + 1, size - 2, size - 2)
        hanging = int(state["slots"][seat, slot])
        in_gallery = (rules.MAIN_GALLERY >> slot) & 1
        canvas.rectangle(frame, GALLERY_FLOOR if in_gallery else FLOOR, outline=FAINT, thickness=0.5)
        if hanging != EMPTY:
            _draw_painting(canvas, state, hanging - 1, frame, number=False)
        else:
            canvas.text(str(slot), (frame[0] + size / 2, frame[1] + size / 2), 17, INK_SOFT)
        if slot == chosen:
            canvas.frame((frame[0] - 2, frame[1] - 2, size + 2, size + 2), INK, radius=3, thickness=2.5)


def _short_reward(state: np.void, space: int) -> tuple[str, str]:
    """What a reward space brings, in two short lines."""
    amount = int(state["space_amount"][space])
    return {
        "acquisition": ("draw", f"{amount} more"),
        "hand_limit": ("hand", f"limit +{amount}"),
        "trade": ("gain by", f"trade +{amount}"),
        "exhibition": ("later", f"shows +{amount}"),
        "end_per_patron": ("each", f"patron {amount}"),
        "end_per_two_in_gallery": ("gallery", f"{amount} by two"),
    }[REWARD_NAMES[int(state["space_reward"][space])]]


def _draw_spaces(canvas: Canvas, state: np.void, seat: int, box: Box) -> None:
    """The reward spaces: free, or with a token."""
    left, top, width, height = box
    row = height / REWARD_SPACES
    for space in range(REWARD_SPACES):
        token = int(state["spaces"][seat, space])
        frame = (left, top + row * space, width, row - 3)
        canvas.rectangle(frame, mixed(PANEL, GOLD_DARK, 0.45) if token else TABLE, radius=5, outline=PANEL_EDGE)
        middle = top + row * space + (row - 3) / 2
        radius = min(row / 2 - 5, 12)
        if token:
            _draw_kind(canvas, token - 1, (left + 16, middle), radius)
        else:
            canvas.circle((left + 16, middle), radius, PANEL)
        words = _short_reward(state, space)
        colour = WORDS if token else WORDS_SOFT
        for line, word in enumerate(words):
            place = (left + 34, middle + (line - (len(words) - 1) / 2) * 13)
            canvas.text(word, place, 16, colour, anchor="midleft", max_width=width - 38)


def _draw_hand(canvas: Canvas, state: np.void, viewer: int | None, seat: int, box: Box) -> None:
    """A hand in as many rows as fit; where they do not, cards lie over each other."""
    left, top, width, height = box
    hand = _paintings_at(state, IN_HAND + seat) if _sees_hand(seat, viewer) else None
    count = int(state["hand_sizes"][seat]) if hand is None else len(hand)
    card_width, card_height = CARD_SIZE_BY_PLAYERS[int(state["num_players"])]
    rows = int((height + 3) // (card_height + 3))
    in_a_row = max(int((width + 3) // (card_width + 3)), -(-count // rows))
    step = min(card_width + 3.0, (width - card_width) / (in_a_row - 1))
    for place in range(count):
        row, column = divmod(place, in_a_row)
        card = (left + column * step, top + row * (card_height + 3), card_width, card_height)
        if hand is None:
            canvas.card_back(card, BACK, BACK_LINES)
        else:
            _draw_painting(canvas, state, hand[place], card)


def _draw_strip(canvas: Canvas, state: np.void, viewer: int | None, seat: int, box: Box) -> None:
    """Secret trend, or those dealt; favors; discards."""
    left, top, width, height = box
    sees = _sees_hand(seat, viewer)
    for trend in _trends_before(state, viewer, seat):
        card = (left, top, 42, height)
        if trend is None:
            canvas.card_back(card, PERIOD_PAINT[4], mixed(PERIOD_PAINT[4], LIGHT, 0.4))
        else:
            _draw_trend(canvas, state, trend, card)
        left += 46
    favors = np.repeat(np.arange(len(state["favors"][seat])), state["favors"][seat]).tolist() if sees else None
    held = int(state["favors_held"][seat])
    step = FAVOR_WIDTH + 3.0
    if held > FAVOR_LIMIT:
        step *= (FAVOR_LIMIT - 1) / (held - 1)
    for place in range(held):
        card = (left + 4 + place * step, top, FAVOR_WIDTH, height)
        if favors is None:
            canvas.card_back(card, PERIOD_PAINT[3], mixed(PERIOD_PAINT[3], LIGHT, 0.4))
        else:
            _draw_favor(canvas, state, favors[place], card)
    left += 4 + min(held, FAVOR_LIMIT) * (FAVOR_WIDTH + 3)
    _draw_discards(canvas, state, seat, (left + 6, top, box[0] + width - left - 6, height))


def _trends_before(state: np.void, viewer: int | None, seat: int) -> list[int | None]:
    """The trends that lie before a seat: the secret one, or those dealt until it keeps one; None is face down."""
    if state["secret_trend"][seat] != NOTHING:
        return [_secret_trend(state, seat, viewer)]
    return state["dealt_trends"][seat].tolist() if _sees_hand(seat, viewer) else [None] * DEALT_TRENDS


def _draw_favor(canvas: Canvas, state: np.void, favor: int, card: Box) -> None:
    left, top, width, height = card
    canvas.panel(card, PAPER, PAPER_EDGE, radius=4)
    canvas.rectangle((left + 4, top + height / 2, width - 8, 1), FAINT)
    for half in range(2):
        middle = top + height * (0.27 + 0.47 * half)
        words = _effect(state["favor_effects"][favor, half])
        lines = words.split() if len(words) > LONGEST_ON_A_CARD else [words]
        for place, line in enumerate(lines):
            down = middle + (place - (len(lines) - 1) / 2) * 11
            canvas.text(line, (left + width / 2, down), 16 if len(lines) == 1 else 15, INK, max_width=width - 5)


def _draw_discards(canvas: Canvas, state: np.void, seat: int, box: Box) -> None:
    """The discard pile: its size, and its paintings in two rows, over each other if they are many."""
    left, top, width, height = box
    pile = _paintings_at(state, IN_DISCARD + seat)
    if not pile:
        return
    rows = 2
    in_a_row = max(int((width + 2) // (CHIP + 2)), -(-len(pile) // rows))
    step = min(CHIP + 2.0, (width - CHIP) / max(in_a_row - 1, 1))
    for place, painting in enumerate(pile):
        row, column = divmod(place, in_a_row)
        frame = (left + column * step, top + row * (CHIP + 4), CHIP, CHIP)
        _, period, domain = _of_kind(state, painting)
        colour = PERIOD_PAINT[period]
        canvas.rectangle(frame, colour, radius=2, outline=GOLD_DARK)
        with canvas.inside((frame[0] + 1, frame[1] + 1, CHIP - 2, CHIP - 2)):
            centre = (frame[0] + CHIP / 2, frame[1] + CHIP / 2)
            _draw_symbol(canvas, domain, centre, 8, mixed(colour, DARK, 0.5), LIGHT)
