//! How the lines of the table become entry points: what is compiled with which sizes, and what it is called.

/// The argument struct of an operation.
#[rustfmt::skip]
macro_rules! args {
    (getrf $t:ident) => { GetrfArgs<$t> };
    (getrf_nopiv $t:ident) => { GetrfNopivArgs<$t> };
    (getrs $t:ident) => { GetrsArgs<$t> };
    (trtrs $t:ident) => { GetrsArgs<$t> };
    (getri $t:ident) => { GetriArgs<$t> };
    (gesv $t:ident) => { GesvArgs<$t> };
    (inverse $t:ident) => { InverseArgs<$t> };
    (potrf $t:ident) => { PotrfArgs<$t> };
}

/// The family of an operation.
#[cfg(not(target_arch = "nvptx64"))]
#[rustfmt::skip]
macro_rules! family {
    (getrf) => { Family::Getrf };
    (getrf_nopiv) => { Family::GetrfNopiv };
    (getrs) => { Family::Getrs };
    (trtrs) => { Family::Trtrs };
    (getri) => { Family::Getri };
    (gesv) => { Family::Gesv };
    (inverse) => { Family::Inverse };
    (potrf) => { Family::Potrf };
}

/// The body of a left-looking kernel, for orders up to `n`, by `w` warps.
#[rustfmt::skip]
macro_rules! left_looking_body {
    (getrf $t:ident $n:literal $w:literal) => {
        left_looking::getrf::<$t, { $n / 16 }, $w, { ($n as usize / 16).div_ceil($w) }>
    };
    (gesv $t:ident $n:literal $w:literal) => {
        left_looking::gesv::<$t, { $n / 16 }, $w, { ($n as usize / 16).div_ceil($w) }, { ($n as usize / 16).div_ceil(2) }>
    };
}

/// The shape of a left-looking kernel.
#[rustfmt::skip]
macro_rules! left_looking_shape {
    (getrf $t:ident $w:literal) => { left_looking::getrf_shape::<$t, $w> };
    (gesv $t:ident $w:literal) => { left_looking::gesv_shape::<$t, $w> };
}

/// The shape of a register-blocked kernel.
#[rustfmt::skip]
macro_rules! register_blocked_shape {
    (gesv $($p:tt)*) => { register_blocked::gesv_shape::<$($p)*> };
    ($verb:ident $($p:tt)*) => { register_blocked::shape::<$($p)*> };
}

/// All entry points, schedule by schedule.
macro_rules! schedules {
    (
        left_looking { $($ll:ident $ll_t:ident: $($ll_n:literal $ll_w:literal $ll_blocks:literal),*;)* }
        look_ahead { $($la:ident $la_t:ident: $($la_n:literal $la_p:literal $la_k:literal $la_blocks:literal),*;)* }
        blocked { $($bl:ident $bl_t:ident: $($bl_r:literal $bl_p:literal $bl_w:literal $bl_blocks:literal),*;)* }
        blocked_from_90 { $($bn:ident $bn_t:ident: $($bn_r:literal $bn_p:literal $bn_w:literal $bn_blocks:literal),*;)* }
        from_factors { $($ff:ident $ff_t:ident: $($ff_p:literal $ff_k:literal $ff_w:literal $ff_blocks:literal),*;)* }
        cholesky_in_shared { $($cs_t:ident: $($cs_w:literal $cs_r:literal $cs_blocks:literal),*;)* }
        cholesky_in_memory { $($cm_t:ident: $($cm_w:literal $cm_r:literal $cm_blocks:literal),*;)* }
        multi_block { $($st_t:ident;)* }
        triangles { $($tr_t:ident: $($tr_c:literal),*;)* }
        updates { $($up_t:ident: $($up_d:literal $up_s:literal $up_blocks:literal),*;)* }
        small_updates { $($us_t:ident: $us_d:literal $us_s:literal $us_blocks:literal;)* }
        cluster_per_rhs { $($cl_t:ident $cl_c:literal $cl_w:literal;)* }
        panels { $($mb_t:ident $mb_c:literal: $($mb_r:literal),*;)* }
        slabs { $($sl_t:ident $sl_c:literal: $($sl_r:literal),*;)* }
        register_blocked { $($rb:ident $rb_t:ident: $($rb_r:literal $rb_c:literal $rb_p:literal $rb_w:literal $rb_blocks:literal),*;)* }
        register_blocked_below_80 { $($ro:ident $ro_t:ident: $($ro_r:literal $ro_c:literal $ro_p:literal $ro_w:literal $ro_blocks:literal),*;)* }
        warp_per_rhs { $($wr:ident $wr_t:ident: $($wr_n:literal $wr_c:literal $wr_blocks:literal),*;)* }
        in_thread { $($it:ident $it_t:ident $it_blocks:literal;)* }
        in_registers { $($ir:ident $ir_t:ident: $($ir_n:literal $ir_l:literal $ir_r:literal $ir_blocks:literal),*;)* }
        all_types { $($name:literal $family:ident $variant:ident $({ n: $n:literal })? $args:ident: $body:expr, $shape:expr, $threads:expr, $blocks:expr;)* }
        others { $($other:tt)* }
    ) => {
        entries! { ENTRIES
            $($([80; concat!(stringify!($ll), "_left_looking_n", $ll_n, "_w", $ll_w, "_", stringify!($ll_t));
                <$ll_t as Scalar>::KIND; family!($ll); LeftLooking { n: $ll_n, warps: $ll_w }; args!($ll $ll_t);
                left_looking_body!($ll $ll_t $ll_n $ll_w); left_looking_shape!($ll $ll_t $ll_w); 32 * $ll_w; $ll_blocks])*)*
            $($([80; concat!(stringify!($la), "_look_ahead_n", $la_n, "_p", $la_p, "_t", $la_k, "_", stringify!($la_t));
                <$la_t as Scalar>::KIND; family!($la); LookAhead { n: $la_n, panels: $la_p, held: $la_k }; args!($la $la_t);
                look_ahead::$la::<$la_t, { $la_n / 16 }, $la_p, $la_k, { look_ahead::lane_rows($la_n / 16) }, { look_ahead::strips($la_n / 16, $la_p) }>;
                look_ahead::shape::<$la_t, { $la_n / 16 }, $la_p, $la_k>; look_ahead::threads($la_n / 16, $la_p); $la_blocks])*)*
            $($([80; concat!(stringify!($bl), "_blocked_r", $bl_r, "_p", $bl_p, "_w", $bl_w, "_", stringify!($bl_t));
                <$bl_t as Scalar>::KIND; family!($bl); Blocked { rows: $bl_r, panels: $bl_p, warps: $bl_w }; args!($bl $bl_t);
                blocked::$bl::<$bl_t, $bl_r, $bl_p, $bl_w>; blocked::shape::<$bl_t, $bl_r, $bl_p, $bl_w>; 32 * $bl_w; $bl_blocks])*)*
            $($([90; concat!(stringify!($bn), "_blocked_r", $bn_r, "_p", $bn_p, "_w", $bn_w, "_", stringify!($bn_t));
                <$bn_t as Scalar>::KIND; family!($bn); Blocked { rows: $bn_r, panels: $bn_p, warps: $bn_w }; args!($bn $bn_t);
                blocked::$bn::<$bn_t, $bn_r, $bn_p, $bn_w>; blocked::shape::<$bn_t, $bn_r, $bn_p, $bn_w>; 32 * $bn_w; $bn_blocks])*)*
            $($([80; concat!(stringify!($ff), "_from_factors_p", $ff_p, "_t", $ff_k, "_w", $ff_w, "_", stringify!($ff_t));
                <$ff_t as Scalar>::KIND; family!($ff); FromFactors { panels: $ff_p, tiles: $ff_k, warps: $ff_w }; args!($ff $ff_t);
                from_factors::$ff::$ff::<$ff_t, $ff_p, $ff_k, $ff_w>; from_factors::$ff::shape::<$ff_t, $ff_p, $ff_k, $ff_w>; 32 * $ff_w; $ff_blocks])*)*
            $($([80; concat!("potrf_in_shared_w", $cs_w, "_r", $cs_r, "_", stringify!($cs_t));
                <$cs_t as Scalar>::KIND; Family::Potrf; CholeskyInShared { warps: $cs_w, rows: $cs_r }; PotrfArgs<$cs_t>;
                cholesky::potrf::<$cs_t, $cs_w, $cs_r, true>; cholesky::shape::<$cs_t, $cs_w, true>; 32 * $cs_w; $cs_blocks])*)*
            $($([80; concat!("potrf_in_memory_w", $cm_w, "_r", $cm_r, "_", stringify!($cm_t));
                <$cm_t as Scalar>::KIND; Family::Potrf; CholeskyInMemory { warps: $cm_w, rows: $cm_r }; PotrfArgs<$cm_t>;
                cholesky::potrf::<$cm_t, $cm_w, $cm_r, false>; cholesky::shape::<$cm_t, $cm_w, false>; 32 * $cm_w; $cm_blocks])*)*
            $($([90; concat!("steps_panel_r", $mb_r, "_c", $mb_c, "_", stringify!($mb_t));
                <$mb_t as Scalar>::KIND; Family::Steps; Panel { rows: $mb_r, columns: $mb_c }; StepArgs<$mb_t>;
                multi_block::panel::panel::<$mb_t, $mb_c, $mb_r>; multi_block::panel::entry_shape::<$mb_t, $mb_c, $mb_r>;
                multi_block::panel::THREADS; 1])*)*
            $($([90; concat!("steps_slab_r", $sl_r, "_c", $sl_c, "_", stringify!($sl_t));
                <$sl_t as Scalar>::KIND; Family::Steps; Slab { rows: $sl_r, columns: $sl_c }; StepArgs<$sl_t>;
                multi_block::slab::slab::<$sl_t, $sl_c, $sl_r>; multi_block::slab::entry_shape::<$sl_t, $sl_c, $sl_r>;
                multi_block::panel::THREADS; 1])*)*
            $([80; concat!("steps_pack_", stringify!($st_t)); <$st_t as Scalar>::KIND; Family::Steps; Pack; StepArgs<$st_t>;
                multi_block::pack::pack::<$st_t>; multi_block::pack::entry_shape::<$st_t>; multi_block::pack::THREADS; 1]
            [80; concat!("steps_column_", stringify!($st_t)); <$st_t as Scalar>::KIND; Family::Steps; Column; StepArgs<$st_t>;
                multi_block::column::column::<$st_t>; multi_block::column::entry_shape::<$st_t>; multi_block::column::THREADS; 1]
            [80; concat!("steps_unpack_", stringify!($st_t)); <$st_t as Scalar>::KIND; Family::Steps; Unpack; StepArgs<$st_t>;
                multi_block::unpack::unpack::<$st_t>; multi_block::pack::entry_shape::<$st_t>; multi_block::pack::THREADS; 1]
            [80; concat!("steps_diagonal_", stringify!($st_t)); <$st_t as Scalar>::KIND; Family::Steps; Diagonal; StepArgs<$st_t>;
                definite::diagonal::diagonal::<$st_t>; definite::diagonal::entry_shape::<$st_t>; definite::diagonal::THREADS; 1]
            [80; concat!("steps_unpack_definite_", stringify!($st_t)); <$st_t as Scalar>::KIND; Family::Steps; UnpackDefinite;
                StepArgs<$st_t>; definite::unpack::unpack::<$st_t>; multi_block::pack::entry_shape::<$st_t>; multi_block::pack::THREADS; 1]
            [80; concat!("steps_pivot_rows_", stringify!($st_t)); <$st_t as Scalar>::KIND; Family::Steps; PivotRows; StepArgs<$st_t>;
                multi_block::from_factors::pivot_rows::<$st_t>; multi_block::from_factors::pivot_rows_shape; multi_block::from_factors::THREADS; 1]
            [80; concat!("steps_status_", stringify!($st_t)); <$st_t as Scalar>::KIND; Family::Steps; Status; StepArgs<$st_t>;
                multi_block::from_factors::status::<$st_t>; multi_block::from_factors::status_shape; multi_block::from_factors::THREADS; 1])*
            $($([80; concat!("steps_triangle_c", $tr_c, "_", stringify!($tr_t)); <$tr_t as Scalar>::KIND; Family::Steps;
                Triangle { columns: $tr_c }; StepArgs<$tr_t>; multi_block::triangle::triangle::<$tr_t, $tr_c>;
                multi_block::triangle::entry_shape::<$tr_t, $tr_c>; multi_block::triangle::THREADS; 1])*)*
            $($([80; concat!("steps_update_d", $up_d, "_", stringify!($up_t)); <$up_t as Scalar>::KIND; Family::Steps;
                TrailingUpdate { depth: $up_d }; StepArgs<$up_t>; multi_block::update::update::<$up_t, $up_d, $up_s, 2, 4>;
                multi_block::update::entry_shape::<$up_t, $up_d, $up_s, 2, 4>; multi_block::update::THREADS; $up_blocks]
            [80; concat!("steps_update_definite_d", $up_d, "_", stringify!($up_t)); <$up_t as Scalar>::KIND; Family::Steps;
                DefiniteUpdate { depth: $up_d }; StepArgs<$up_t>; definite::update::update::<$up_t, $up_d, $up_s, 2, 4>;
                definite::update::entry_shape::<$up_t, $up_d, $up_s, 2, 4>; multi_block::update::THREADS; $up_blocks])*)*
            $([80; concat!("steps_small_update_d", $us_d, "_", stringify!($us_t)); <$us_t as Scalar>::KIND; Family::Steps;
                SmallTrailingUpdate { depth: $us_d }; StepArgs<$us_t>; multi_block::update::update::<$us_t, $us_d, $us_s, 1, 2>;
                multi_block::update::entry_shape::<$us_t, $us_d, $us_s, 1, 2>; multi_block::update::THREADS; $us_blocks]
            [80; concat!("steps_small_update_definite_d", $us_d, "_", stringify!($us_t)); <$us_t as Scalar>::KIND; Family::Steps;
                SmallDefiniteUpdate { depth: $us_d }; StepArgs<$us_t>; definite::update::update::<$us_t, $us_d, $us_s, 1, 2>;
                definite::update::entry_shape::<$us_t, $us_d, $us_s, 1, 2>; multi_block::update::THREADS; $us_blocks])*
            $([90; concat!("getrs_cluster_per_rhs_", stringify!($cl_t)); <$cl_t as Scalar>::KIND; Family::Getrs; ClusterPerRhs;
                GetrsArgs<$cl_t>; cluster_per_rhs::getrs::<$cl_t, $cl_c, $cl_w>; cluster_per_rhs::shape::<$cl_t, $cl_c, $cl_w>; 32 * $cl_w; 1]
            [90; concat!("trtrs_cluster_per_rhs_", stringify!($cl_t)); <$cl_t as Scalar>::KIND; Family::Trtrs; ClusterPerRhs;
                GetrsArgs<$cl_t>; cluster_per_rhs::trtrs::<$cl_t, $cl_c, $cl_w>; cluster_per_rhs::shape::<$cl_t, $cl_c, $cl_w>; 32 * $cl_w; 1]
            [90; concat!("steps_solve_upper_", stringify!($cl_t)); <$cl_t as Scalar>::KIND; Family::Steps; SolveUpper;
                StepArgs<$cl_t>; multi_block::solve_upper::solve_upper::<$cl_t, $cl_c, $cl_w>;
                cluster_per_rhs::shape::<$cl_t, $cl_c, $cl_w>; 32 * $cl_w; 1])*
            $($([70; concat!(stringify!($rb), "_register_blocked_r", $rb_r, "_p", $rb_p, "_", stringify!($rb_t));
                <$rb_t as Scalar>::KIND; family!($rb); RegisterBlocked { rows: $rb_r, columns: $rb_c, panels: $rb_p, warps: $rb_w };
                args!($rb $rb_t); register_blocked::$rb::<$rb_t, $rb_r, $rb_c, $rb_p>;
                register_blocked_shape!($rb $rb_t, $rb_r, $rb_c, $rb_p, $rb_w); 32 * $rb_w; $rb_blocks])*)*
            $($([70..80; concat!(stringify!($ro), "_register_blocked_r", $ro_r, "_p", $ro_p, "_", stringify!($ro_t));
                <$ro_t as Scalar>::KIND; family!($ro); RegisterBlocked { rows: $ro_r, columns: $ro_c, panels: $ro_p, warps: $ro_w };
                args!($ro $ro_t); register_blocked::$ro::<$ro_t, $ro_r, $ro_c, $ro_p>;
                register_blocked_shape!($ro $ro_t, $ro_r, $ro_c, $ro_p, $ro_w); 32 * $ro_w; $ro_blocks])*)*
            $($([70; concat!(stringify!($wr), "_warp_per_rhs_n", $wr_n, "_", stringify!($wr_t));
                <$wr_t as Scalar>::KIND; family!($wr); WarpPerRhs { n: $wr_n, columns: $wr_c }; args!($wr $wr_t);
                warp_per_rhs::$wr::<$wr_t, { $wr_n / 32 }, $wr_c>; warp_per_rhs::shape::<$wr_t, { $wr_n / 32 }, $wr_c>;
                warp_per_rhs::THREADS; $wr_blocks])*)*
            $([70; concat!(stringify!($it), "_in_thread_", stringify!($it_t));
                <$it_t as Scalar>::KIND; family!($it); InThread; args!($it $it_t);
                in_thread::$it::<$it_t>; in_thread::shape::<$it_t>; in_thread::THREADS; $it_blocks])*
            $($([70; concat!(stringify!($ir), "_in_registers_n", $ir_n, "_", stringify!($ir_t));
                <$ir_t as Scalar>::KIND; family!($ir); InRegisters { n: $ir_n }; args!($ir $ir_t);
                in_registers::$ir::<$ir_t, $ir_n, $ir_l, $ir_r>; in_registers::shape::<$ir_t, $ir_n, $ir_l>; thread_group::THREADS; $ir_blocks])*)*
            $([70; concat!($name, "_f32"); ScalarKind::F32; Family::$family; $variant $({ n: $n })?; $args<f32>; $body; $shape; $threads; $blocks]
            [70; concat!($name, "_f64"); ScalarKind::F64; Family::$family; $variant $({ n: $n })?; $args<f64>; $body; $shape; $threads; $blocks]
            [70; concat!($name, "_c32"); ScalarKind::C32; Family::$family; $variant $({ n: $n })?; $args<c32>; $body; $shape; $threads; $blocks]
            [70; concat!($name, "_c64"); ScalarKind::C64; Family::$family; $variant $({ n: $n })?; $args<c64>; $body; $shape; $threads; $blocks])*
            $($other)*
        }
    };
}
