"""Which of several processes this is, as torchrun, Slurm and MPI say it."""
from __future__ import annotations

from typing import Mapping, Tuple

NAMES = (("RANK", "WORLD_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
         ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))


def rank_of(environment: Mapping[str, str]) -> Tuple[int, int]:
    """(rank, how many); (0, 1) where this is the only one."""
    for names in NAMES:
        values = [environment.get(name, "") for name in names]
        if all(value.isdigit() for value in values):
            rank, world = map(int, values)
            if rank < world:
                return rank, world
    return 0, 1


def journal_name(rank: int) -> str:
    """Each rank writes its own journal, next to rank 0's."""
    return f"journal.rank{rank}.jsonl" if rank else "journal.jsonl"
