//! The modules, written by `cargo xtask kernels`.

kernels_gpu::modules! {
    70 {
        "border_add": c32 c64 f32 f64;
        "border_beta": c32 c64 f32 f64;
        "border_dot": c32 c64 f32 f64;
        "border_outer": c32 c64 f32 f64;
        "border_product": c32 c64 f32 f64;
        "border_scale": c32 c64 f32 f64;
        "columns_gather": c32 c64 f32 f64;
        "columns_swap": c32 c64 f32 f64;
        "copy": c32 c64 f32 f64;
        "eliminate_columns": c32 c64 f32 f64;
        "eliminate_columns_shared": c32 c64 f32 f64;
        "eliminate_rows": c32 c64 f32 f64;
        "eliminate_rows_shared": c32 c64 f32 f64;
        "left_looking_nb10": c32 c64 f32 f64;
        "left_looking_nb14": c32 c64 f32 f64;
        "left_looking_nb16": c32 c64 f32 f64;
        "left_looking_nb18": c32 c64 f32 f64;
        "left_looking_nb24": c32 c64 f32 f64;
        "left_looking_nb32": c32 c64 f32 f64;
        "left_looking_nb8": c32 c64 f32 f64;
        "lower_delayed_nb14": c32 c64 f32 f64;
        "lower_delayed_nb16": c32 c64 f32 f64;
        "lower_delayed_nb20": c32 c64 f32 f64;
        "lower_delayed_nb24": c32 c64 f32 f64;
        "lower_delayed_nb28": c32 c64 f32 f64;
        "lower_delayed_nb8": c32 c64 f32 f64;
        "lower_timely_nb14": c32 c64 f32 f64;
        "lower_timely_nb16": c32 c64 f32 f64;
        "lower_timely_nb20": c32 c64 f32 f64;
        "lower_timely_nb24": c32 c64 f32 f64;
        "lower_timely_nb28": c32 c64 f32 f64;
        "lower_timely_nb8": c32 c64 f32 f64;
        "pivot": c32 c64 f32 f64;
        "right_looking_nb10": c32 c64 f32 f64;
        "right_looking_nb14": c32 c64 f32 f64;
        "right_looking_nb16": c32 c64 f32 f64;
        "right_looking_nb18": c32 c64 f32 f64;
        "right_looking_nb24": c32 c64 f32 f64;
        "right_looking_nb32": c32 c64 f32 f64;
        "right_looking_nb8": c32 c64 f32 f64;
        "substitute_factors": c32 c64 f32 f64;
        "substitute_upper": c32 c64 f32 f64;
        "update_tile16": c32 c64 f32 f64;
        "update_tile32": c32 c64 f32 f64;
        "update_tile8": c32 c64 f32 f64;
        "upper_delayed_nb14": c32 c64 f32 f64;
        "upper_delayed_nb16": c32 c64 f32 f64;
        "upper_delayed_nb20": c32 c64 f32 f64;
        "upper_delayed_nb24": c32 c64 f32 f64;
        "upper_delayed_nb28": c32 c64 f32 f64;
        "upper_delayed_nb8": c32 c64 f32 f64;
        "upper_timely_nb14": c32 c64 f32 f64;
        "upper_timely_nb16": c32 c64 f32 f64;
        "upper_timely_nb20": c32 c64 f32 f64;
        "upper_timely_nb24": c32 c64 f32 f64;
        "upper_timely_nb28": c32 c64 f32 f64;
        "upper_timely_nb8": c32 c64 f32 f64;
    }
    90 {
        "block_border_fill": c32 c64 f32 f64;
        "block_border_pack": c32 c64 f32 f64;
        "block_border_product": c32 c64 f32 f64;
        "block_border_scale": c32 c64 f32 f64;
        "block_border_schur": c32 c64 f32 f64;
        "block_border_status": c32 c64 f32 f64;
        "block_border_sum": c32 c64 f32 f64;
        "block_border_unpack": c32 c64 f32 f64;
        "block_border_update": c32 c64 f32 f64;
    }
}
