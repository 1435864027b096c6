"""The judge's verdict on a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional


@dataclass(frozen=True)
class Verdict:
    """The record of `kgtrain judge --json` (docs/guide/judge-service.md)."""

    task: str
    stage: str  # where it ended: rejected, compile, run, compare, check or correct
    compiled: bool
    ran: bool
    correct: bool
    reward: Optional[float]  # None: no result, because the sandbox failed or the timing is impossible; never a zero
    speedup: Optional[float]
    faults: tuple[Mapping[str, Any], ...] = ()
    compiler_output: str = ""
    sandbox_error: Optional[str] = None
    invalid_reason: Optional[str] = None
    record: Mapping[str, Any] = field(default_factory=dict, repr=False)  # the complete record

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Verdict":
        valid = bool(record.get("reward_valid")) and record.get("sandbox_error") is None
        return cls(
            task=record["task"],
            stage=record["stage"],
            compiled=record["compiled"],
            ran=record["ran"],
            correct=record["correct"],
            reward=record["reward"] if valid else None,
            speedup=record.get("speedup"),
            faults=tuple(record.get("faults", ())),
            compiler_output=record.get("compiler_output", ""),
            sandbox_error=record.get("sandbox_error"),
            invalid_reason=record.get("invalid_reason"),
            record=record,
        )
