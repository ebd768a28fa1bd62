//! An axis: its range, linear or logarithmic, and where its ticks are.

/// Of a chart, from the left or from below.
#[derive(Debug)]
pub(super) struct Axis {
    log: bool,
    least: f64,
    most: f64,
}

impl Axis {
    /// For orders; logarithmic where they span a factor of 16.
    pub(super) fn orders(values: impl Iterator<Item = f64> + Clone, log: bool) -> Self {
        let (least, most) = range(values);
        let log = log || most >= 16.0 * least;
        // A little room at both ends.
        let (least, most) = if log {
            let room = (most / least).powf(0.03).max(1.05);
            (least / room, most * room)
        } else {
            let room = if most > least { 0.03 * (most - least) } else { 0.5 * most };
            (least - room, most + room)
        };
        Self { log, least, most }
    }

    /// For positive values: from 0, or logarithmic where they span more than a factor of 100.
    pub(super) fn values(values: impl Iterator<Item = f64> + Clone, log: bool) -> Self {
        let (least, most) = range(values);
        // An error of 0 has no logarithm.
        let log = least > 0.0 && (log || most > 100.0 * least);
        if log {
            return Self { log, least: least / 1.3, most: most * 1.3 };
        }
        let step = step(most, 6.0);
        let most = if most > 0.0 { ((most * 1.02) / step).ceil() * step } else { 1.0 };
        Self { log, least: 0.0, most }
    }

    /// Where a value is, 0 to 1.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let map = |value: f64| if self.log { value.ln() } else { value };
        (map(value) - map(self.least)) / (map(self.most) - map(self.least))
    }

    /// Values with their labels, about `count` of them.
    pub(super) fn ticks(&self, count: f64) -> Vec<(f64, String)> {
        let ticks = if self.log { self.log_ticks(count) } else { self.linear_ticks(count) };
        ticks.into_iter().map(|tick| (tick, label(tick))).collect()
    }

    /// For orders: powers of two where there are several.
    pub(super) fn order_ticks(&self, count: f64) -> Vec<(f64, String)> {
        let powers: Vec<_> = (0..31).map(|power| f64::from(1 << power)).filter(|tick| self.has(*tick)).collect();
        if self.log && powers.len() >= 3 {
            return powers.into_iter().map(|tick| (tick, label(tick))).collect();
        }
        self.ticks(count)
    }

    fn has(&self, tick: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.fraction(tick))
    }

    fn linear_ticks(&self, count: f64) -> Vec<f64> {
        let step = step(self.most - self.least, count);
        let first = (self.least / step).ceil();
        (0..100).map(|index| (first + f64::from(index)) * step).take_while(|tick| self.has(*tick)).collect()
    }

    /// Powers of ten, with 2 and 5 times them, and more, while those are few.
    fn log_ticks(&self, count: f64) -> Vec<f64> {
        let decades = self.least.log10().floor() as i32..=self.most.log10().ceil() as i32;
        let ticks = |digits: &[f64]| -> Vec<f64> {
            // Dividing by an exact power gives 0.1, not 0.1 and an error.
            let times = |digit: f64, decade: i32| {
                if decade < 0 { digit / 10_f64.powi(-decade) } else { digit * 10_f64.powi(decade) }
            };
            let ticks = decades.clone().flat_map(|decade| digits.iter().map(move |digit| times(*digit, decade)));
            ticks.filter(|tick| self.has(*tick)).collect()
        };
        let sets: [&[f64]; 3] = [&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], &[1.0, 2.0, 5.0], &[1.0]];
        let [fine, middle, coarse] = sets.map(ticks);
        [fine, middle].into_iter().find(|ticks| ticks.len() as f64 <= 1.5 * count).unwrap_or(coarse)
    }
}

fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
}

/// 1, 2 or 5 times a power of ten that cuts a span into about `count` parts.
fn step(span: f64, count: f64) -> f64 {
    let raw = if span > 0.0 { span / count } else { 1.0 };
    let power = 10_f64.powf(raw.log10().floor());
    // The nearest by factor: the limits are the geometric means.
    let limits = [(2_f64.sqrt(), 1.0), (10_f64.sqrt(), 2.0), (50_f64.sqrt(), 5.0)];
    let digit = limits.into_iter().find(|(limit, _)| raw <= limit * power).map_or(10.0, |(_, digit)| digit);
    digit * power
}

/// Without the dust of binary fractions, thousands apart.
pub(super) fn label(tick: f64) -> String {
    let digits = 3 - tick.abs().max(1e-12).log10().floor() as i32;
    let text = format!("{tick:.*}", digits.max(0) as usize);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut label = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 && whole.len() > 4 {
            label.push(',');
        }
        label.push(digit);
    }
    match fraction.trim_end_matches('0') {
        "" => label,
        fraction => format!("{label}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear() {
        let orders = Axis::orders([33.0, 190.0].into_iter(), false);
        assert_eq!(labels(orders.order_ticks(8.0)), ["40", "60", "80", "100", "120", "140", "160", "180"]);
        let values = Axis::values([0.11, 1.17].into_iter(), false);
        assert_eq!(labels(values.ticks(6.0)), ["0", "0.2", "0.4", "0.6", "0.8", "1", "1.2"]);
        assert!(values.fraction(0.0) == 0.0 && (values.fraction(0.6) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn logarithmic() {
        let orders = Axis::orders([64.0, 2048.0].into_iter(), false);
        assert_eq!(labels(orders.order_ticks(8.0)), ["64", "128", "256", "512", "1024", "2048"]);
        let values = Axis::values([0.05, 45376.68].into_iter(), false);
        assert_eq!(labels(values.ticks(6.0)), ["0.1", "1", "10", "100", "1000", "10,000"]);
        let values = Axis::values([0.9, 30.0].into_iter(), true);
        assert_eq!(labels(values.ticks(6.0)), ["1", "2", "5", "10", "20"]);
    }

    #[test]
    fn a_single_point_is_in_the_middle() {
        for log in [false, true] {
            let axis = Axis::orders([8000.0].into_iter(), log);
            assert!((axis.fraction(8000.0) - 0.5).abs() < 1e-9);
            assert!(!axis.order_ticks(8.0).is_empty(), "{axis:?}");
        }
    }
}
