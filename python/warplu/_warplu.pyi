"""Calls of warplu on addresses: see src/calls.rs and src/lists.rs."""

from typing import Any, List, Optional, Tuple, Union

Place = Union[str, Tuple[int, int, bool]]
#: What is known of matrices, and how pivots are chosen, as texts.
Method = Tuple[str, str]
Bad = Optional[Tuple[int, List[Tuple[int, int]]]]

VERSION: str

def inv(place: Place, dtype: int, method: Method, a: Matrices, to: Matrices, status: int, check: bool) -> Bad: ...
def solve(
    place: Place, dtype: int, method: Method, a: Matrices, b: Matrices, to: Matrices, status: int, check: bool
) -> Bad: ...
def lu_factor(
    place: Place, dtype: int, method: Method, a: Matrices, to: Matrices, pivots: int, status: int, check: bool
) -> Bad: ...
def lu_solve(
    place: Place,
    dtype: int,
    trans: int,
    lu: Matrices,
    pivots: int,
    validate: bool,
    known: int,
    b: Matrices,
    to: Matrices,
    status: int,
    check: bool,
) -> Bad: ...
def det(
    place: Place,
    dtype: int,
    method: Method,
    a: Matrices,
    phase: int,
    log_abs: int,
    values: int,
    status: int,
    check: bool,
) -> Bad: ...
def rcond(name: str, dtype: int, infinity: bool, method: Method, a: Matrices, to: int, status: int) -> None: ...
def refine(
    name: str,
    dtype: int,
    method: Method,
    a: Matrices,
    b: Matrices,
    x: Matrices,
    bounds: Tuple[int, int],
    status: int,
    check: bool,
) -> Bad: ...
def growth(dtype: int, a: Matrices, lu: Matrices, to: int) -> None: ...
def cholesky(place: Place, dtype: int, upper: bool, a: Matrices, to: Matrices, status: int, check: bool) -> Bad: ...
def cho_solve(
    place: Place,
    dtype: int,
    upper: bool,
    factors: Matrices,
    known: int,
    b: Matrices,
    to: Matrices,
    status: int,
    check: bool,
) -> Bad: ...
def inv_list(
    name: str, dtype: int, method: Method, a: List[Matrices], to: List[Matrices], status: int, check: bool
) -> Bad: ...
def solve_list(
    name: str,
    dtype: int,
    method: Method,
    a: List[Matrices],
    b: List[Matrices],
    to: List[Matrices],
    status: int,
    check: bool,
) -> Bad: ...
def lu_factor_list(
    name: str,
    dtype: int,
    method: Method,
    a: List[Matrices],
    to: List[Matrices],
    pivots: int,
    status: int,
    check: bool,
) -> Bad: ...
def det_list(
    name: str, dtype: int, method: Method, a: List[Matrices], phase: int, log_abs: int, values: int, status: int
) -> None: ...
def devices() -> List[Tuple[str, str]]: ...
def clear_plans() -> None: ...
def from_dlpack(capsule: Any) -> Tensor: ...

class Matrices:
    has_compact_rows: bool
    @staticmethod
    def compact(address: int, batch: Tuple[int, ...], rows: int, cols: int) -> Matrices: ...
    def is_apart(self) -> bool: ...
    def overlaps(self, bytes: int, other: Matrices, other_bytes: int) -> bool: ...

class View:
    address: int
    shape: Tuple[int, ...]
    is_compact: bool
    read_only: bool
    def __init__(
        self,
        address: int,
        shape: Tuple[int, ...],
        strides: Optional[Tuple[int, ...]] = None,
        read_only: bool = False,
        owner: Any = None,
    ) -> None: ...
    @staticmethod
    def of_numpy(array: Any) -> Optional[View]: ...
    def matrices(self, batch: Tuple[int, ...], is_vector: bool = False) -> Optional[Matrices]: ...

class Tensor:
    address: int
    shape: List[int]
    strides: List[int]
    dtype: Tuple[int, int, int]
    device: Tuple[int, int]
    read_only: bool

class Block:
    address: int
    shape: List[int]
    def __init__(self, shape: List[int], dtype: Optional[int], ordinal: Optional[int]) -> None: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> Tuple[int, int]: ...
