//! What was measured, as a table on stdout.

use warplu::Device;
use warplu_bench_schema::Row;

use crate::text::say;

/// The names of the columns.
pub(crate) fn head(device: &Device) {
    say(format_args!("{device}: {}", device.info()));
    let [median, min, max, gflops, ratio] = ["median ms", "min ms", "max ms", "GFLOP/s", "ratio"];
    let case = format!("{:<8} {:<5} {:>5} {:>8} {:>5}", "op", "dtype", "n", "batch", "rhs");
    let times = format!("{median:>11} {min:>11} {max:>11} {gflops:>9} {ratio:>8}");
    say(format_args!("{case} {:<6} {times}  library", "place"));
}

/// A measurement, as soon as it is there.
pub(crate) fn line(row: &Row) {
    let Row { op, dtype, n, batch, rhs, .. } = row;
    let case = format!("{op:<8} {dtype:<5} {n:>5} {batch:>8} {rhs:>5}");
    let place = row.place.name();
    let seconds = |part: Option<f64>| part.map_or("-".to_owned(), |s| format!("{:.4}", s * 1e3));
    let times = row.seconds.map(|s| [Some(s.median), s.min, s.max]).unwrap_or_default();
    let [median, min, max] = times.map(seconds);
    let gflops = row.gflops.map_or("-".to_owned(), |gflops| format!("{gflops:.1}"));
    let ratio = row.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
    let algorithm = row.algorithm.as_ref().map_or(String::new(), |algorithm| format!(" {algorithm}"));
    let times = format!("{median:>11} {min:>11} {max:>11} {gflops:>9} {ratio:>8}");
    say(format_args!("{case} {place:<6} {times}  {}{algorithm}", row.library.name()));
}
