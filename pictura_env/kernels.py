"""Loops over the rows of a batch; nothing but loops.

They name this game's functions directly: a compiled function that takes others as arguments is never cached on disk.
``states`` is an array of ``STATE``; ``rows`` (int64) are the rows to work on.
"""

from __future__ import annotations

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from env_core.random import RANDOM_ONLY, drawn_action, random_below, row_word
from env_core.rewards import SCORE
from pictura_env.hidden import resample_hidden
from pictura_env.observation import write_observation, write_perfect_information
from pictura_env.rules import (
    apply,
    is_legal,
    is_truncated,
    lay_out,
    new_episode,
    next_episode,
    standing,
    total_points,
    write_action_mask,
    write_final_rewards,
    write_scores,
)
from pictura_env.state import FINAL_MENU, KIND_ACTION, MAX_PLAYERS, MENU, OVER, SLOT_ACTION

MENUS_PER_REARRANGING = 32
"""In light playouts one menu in so many offers to pick up a painting.

``pytest -s tests/pictura_env/test_playout.py`` tells the decisions of a game, light instead of random: 4 players 1,041
instead of 1,464, 3 players 812 instead of 1,147; 2 players 879 instead of 884, most of them discards after inventories.
"""


@compiled
def new_episodes(states: np.ndarray, rows: np.ndarray, game_seeds: np.ndarray) -> None:
    """Begin a new episode in each row from its game seed."""
    for index in range(len(rows)):
        new_episode(states[rows[index]], game_seeds[index])


@compiled
def next_episodes(states: np.ndarray, rows: np.ndarray) -> None:
    """Begin the next episode of each row's stream."""
    for row in rows:
        next_episode(states[row])


@compiled
def lay_out_setups(states: np.ndarray, rows: np.ndarray) -> None:
    """Lay the table out from the setup that stands in each row's state."""
    for row in rows:
        lay_out(states[row])


@compiled
def show(
    states: np.ndarray, rows: np.ndarray, observation: np.ndarray, action_mask: np.ndarray, seat: np.ndarray
) -> None:
    """Write what the seat to move sees, what it may do, and whose turn it is."""
    for row in rows:
        show_row(states[row], row, observation, action_mask, seat)


@compiled
def show_row(state: np.void, row: int, observation: np.ndarray, action_mask: np.ndarray, seat: np.ndarray) -> None:
    """Write the buffers of one row; a finished one shows nothing."""
    seat[row] = state["seat"]
    write_action_mask(state, action_mask[row])
    if state["phase"] == OVER:
        fill(observation[row], 0)
    else:
        write_observation(state, int64(state["seat"]), observation[row])


@compiled
def advance(states: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> None:
    """Play one legal action in each row and write nothing."""
    for index in range(len(rows)):
        apply(states[rows[index]], actions[index])


@compiled
def first_illegal(states: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> int:
    """Place in ``rows`` of the first row whose action is not legal, or -1. A finished row takes the action -1 only."""
    for index in range(len(rows)):
        state = states[rows[index]]
        if state["phase"] == OVER:
            if actions[index] != -1:
                return index
        elif not is_legal(state, actions[index]):
            return index
    return -1


@compiled(allocates=True)
def step(
    states: np.ndarray,
    rows: np.ndarray,
    actions: np.ndarray,
    auto_reset: bool,
    observation: np.ndarray,
    action_mask: np.ndarray,
    seat: np.ndarray,
    rewards: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
    scores: np.ndarray,
) -> int:
    """Play one action in each row and write all buffers of these rows.

    Returns the place in ``rows`` of the first bad action, in which case nothing has changed, or -1.
    """
    bad = first_illegal(states, rows, actions)
    if bad >= 0:
        return bad
    points = np.zeros(MAX_PLAYERS, np.int64)
    for index in range(len(rows)):
        row = rows[index]
        state = states[row]
        terminated[row] = False
        truncated[row] = False
        if state["phase"] != OVER:
            play(state, actions[index], points, rewards[row])
            write_scores(state, scores[row])
            if state["phase"] == OVER:
                truncated[row] = is_truncated(state)
                terminated[row] = not truncated[row]
                if auto_reset:
                    next_episode(state)
        else:
            fill(rewards[row], 0)
        show_row(state, row, observation, action_mask, seat)
    return -1


@compiled
def play(state: np.void, action: int, points: np.ndarray, rewards: np.ndarray) -> None:
    """Play one action and write the rewards that it brings; ``points`` is scratch."""
    num_players = int64(state["num_players"])
    fill(rewards, 0)
    if state["reward"] != SCORE:
        apply(state, action)
        if state["phase"] == OVER:
            write_final_rewards(state, rewards)
        return
    for player in range(num_players):
        points[player] = total_points(state, player)
    apply(state, action)
    for player in range(num_players):
        rewards[player] = total_points(state, player) - points[player]


@compiled
def observe(states: np.ndarray, rows: np.ndarray, seats: np.ndarray, observation: np.ndarray) -> None:
    """Write what one given seat of each row sees."""
    for index in range(len(rows)):
        write_observation(states[rows[index]], seats[index], observation[index])


@compiled
def perfect_information(states: np.ndarray, rows: np.ndarray, observation: np.ndarray) -> None:
    """Write all there is to know of each row."""
    for index in range(len(rows)):
        write_perfect_information(states[rows[index]], observation[index])


@compiled
def read_scores(states: np.ndarray, rows: np.ndarray, scores: np.ndarray) -> None:
    """Write each seat's score of the present game."""
    for index in range(len(rows)):
        write_scores(states[rows[index]], scores[index])


@compiled
def read_standings(states: np.ndarray, rows: np.ndarray, standings: np.ndarray) -> None:
    """Write what each seat would count if it looked one move ahead."""
    for index in range(len(rows)):
        state = states[rows[index]]
        for player in range(int64(state["num_players"])):
            standings[index, player] = standing(state, player)


@compiled
def resample(states: np.ndarray, rows: np.ndarray, seats: np.ndarray, seed: np.uint64) -> None:
    """Replace in each row what the given seat cannot know."""
    for index in range(len(rows)):
        resample_hidden(states[rows[index]], seats[index], row_word(seed, rows[index]))


@compiled(allocates=True)
def playout(
    states: np.ndarray,
    rows: np.ndarray,
    seed: np.uint64,
    light: bool,
    number_of_actions: int,
    scores: np.ndarray,
    rewards: np.ndarray,
) -> None:
    """Play each row to its end with legal actions drawn uniformly; rewards are summed over the playout.

    ``light`` play rarely begins to rearrange: only one menu in ``MENUS_PER_REARRANGING`` offers it.
    """
    action_mask = np.zeros(number_of_actions, np.int8)
    points = np.zeros(MAX_PLAYERS, np.int64)
    step_rewards = np.zeros(rewards.shape[1], rewards.dtype)
    generator = np.zeros(1, RANDOM_ONLY)[0]
    for index in range(len(rows)):
        row = rows[index]
        state = states[row]
        # Choices come from a generator of their own: the game's is what chance decides.
        generator["random"] = row_word(seed, row)
        fill(rewards[index], 0)
        while state["phase"] != OVER:
            write_action_mask(state, action_mask)
            if light and (state["phase"] == MENU or state["phase"] == FINAL_MENU):
                if random_below(generator, MENUS_PER_REARRANGING) > 0:
                    # A menu always offers something else: an action, or to be done.
                    fill(action_mask[SLOT_ACTION:KIND_ACTION], 0)
            play(state, drawn_action(generator, action_mask), points, step_rewards)
            for player in range(int64(state["num_players"])):
                rewards[index, player] += step_rewards[player]
        write_scores(state, scores[index])
