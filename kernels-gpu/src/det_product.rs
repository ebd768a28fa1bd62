//! placeholder
use crate::scalar::c64;
#[derive(Clone, Copy, Debug)]
pub struct LogProduct { pub mantissa: c64, pub exponent: i64 }
impl LogProduct {
    pub const ONE: Self = Self { mantissa: c64::new(1.0, 0.0), exponent: 0 };
    pub fn times(self, z: c64) -> Self { Self { mantissa: self.mantissa * z, exponent: self.exponent } }
    pub fn combine(self, o: Self) -> Self { Self { mantissa: self.mantissa * o.mantissa, exponent: self.exponent } }
    pub fn negate(self) -> Self { Self { mantissa: -self.mantissa, exponent: self.exponent } }
    pub fn phase(self) -> c64 { self.mantissa }
    pub fn log_abs(self) -> f64 { self.mantissa.re }
}
