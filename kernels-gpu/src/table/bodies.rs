//! The argument struct, body and shape of a line, by its family.

#[rustfmt::skip]
macro_rules! args {
    (Lu $t:ident) => { LuArgs<$t> };
    (Invert $t:ident) => { InvertArgs<$t> };
    (FactorSolve $t:ident) => { FactorSolveArgs<$t> };
}
#[rustfmt::skip]
macro_rules! small_body {
    (Lu $t:ident $n:literal $l:literal $r:literal) => { lu::small::lu_small::<$t, $n, $l, $r> };
    (Invert $t:ident $n:literal $l:literal $r:literal) => { inverse::small::invert_small::<$t, $n, $l, $r> };
    (FactorSolve $t:ident $n:literal $l:literal $r:literal) => { solve::small::factor_solve_small::<$t, $n, $l, $r> };
}
#[rustfmt::skip]
macro_rules! tile_body {
    (Invert $t:ident $r:literal $nb:literal $q:literal) => { tile::invert_tile::<$t, $r, $nb, $q> };
    (FactorSolve $t:ident $r:literal $nb:literal $q:literal) => { tile::factor_solve_tile::<$t, $r, $nb, $q> };
}
#[rustfmt::skip]
macro_rules! slab_body {
    (Lu $t:ident $r:literal $s:literal $w:literal) => { slab::lu_slab::<$t, $r, $s, $w> };
    (Invert $t:ident $r:literal $s:literal $w:literal) => { slab::invert_slab::<$t, $r, $s, $w> };
}
#[rustfmt::skip]
macro_rules! ahead_body {
    (Invert $t:ident $b:literal $q:literal $k:literal) => {
        ahead::invert_ahead::<$t, $b, $q, $k, { ahead::rows($b) }, { ahead::shares($b, $q) }>
    };
}
#[rustfmt::skip]
macro_rules! stream_body {
    (Lu $t:ident $b:literal $w:literal) => { stream::lu_stream::<$t, $b, $w, { ($b as usize).div_ceil($w) }> };
    (FactorSolve $t:ident $b:literal $w:literal) => {
        stream::factor_solve_stream::<$t, $b, $w, { ($b as usize).div_ceil($w) }, { ($b as usize).div_ceil(2) }>
    };
}
#[rustfmt::skip]
macro_rules! stream_shape {
    (Lu $t:ident $w:literal) => { stream::shape::<$t, $w> };
    (FactorSolve $t:ident $w:literal) => { stream::solve_shape::<$t, $w> };
}
#[rustfmt::skip]
macro_rules! tile_shape {
    (FactorSolve $t:ident $r:literal $nb:literal $q:literal $w:literal) => { tile::solve_shape::<$t, $r, $nb, $q, $w> };
    ($family:ident $t:ident $r:literal $nb:literal $q:literal $w:literal) => { tile::shape::<$t, $r, $nb, $q, $w> };
}
