//! POLLU, the chemistry of an air pollution model of the Dutch National Institute of Public Health (RIVM): 20 species,
//! 25 reactions, time scales from picoseconds to days.
//!
//! J. G. Verwer, *Gauss-Seidel iteration for stiff ODEs from chemical kinetics*, SIAM J. Sci. Comput. 15 (1994); rate
//! constants, initial values and reference solution as in the *Test Set for IVP Solvers* (F. Mazzia, C. Magherini,
//! University of Bari), problem `pollu`. Concentrations are in ppm, time is in minutes.
//!
//! The problem has one set of constants. Here the light may differ, which scales photolyses, and the temperature: the
//! activation temperatures E/R are those of the Master Chemical Mechanism 3.2 (high-pressure limits), relative to 298
//! K.

use species::*;

/// Number of species.
pub const SPECIES: usize = 20;
/// Number of reactions.
pub const REACTIONS: usize = 25;

/// Indices of the species, by formula.
#[allow(missing_docs)]
pub mod species {
    pub const NO2: usize = 0;
    pub const NO: usize = 1;
    pub const O3P: usize = 2;
    pub const O3: usize = 3;
    pub const HO2: usize = 4;
    pub const OH: usize = 5;
    pub const HCHO: usize = 6;
    pub const CO: usize = 7;
    pub const ALD: usize = 8;
    pub const MEO2: usize = 9;
    pub const C2O3: usize = 10;
    pub const CO2: usize = 11;
    pub const PAN: usize = 12;
    pub const CH3O: usize = 13;
    pub const HNO3: usize = 14;
    pub const O1D: usize = 15;
    pub const SO2: usize = 16;
    pub const SO4: usize = 17;
    pub const NO3: usize = 18;
    pub const N2O5: usize = 19;
}

/// What moves a reaction.
#[derive(Clone, Copy, Debug)]
pub enum Driver {
    /// Photolysis: proportional to the light.
    Light,
    /// Collisions: Arrhenius' law with an activation temperature in K, which may be negative.
    Heat(f64),
}

/// A reaction, whose rate is its constant times the concentrations of what it consumes.
#[derive(Clone, Copy, Debug)]
pub struct Reaction {
    /// At 298 K in the light of the test problem, per minute (and per ppm, of two reactants).
    pub constant: f64,
    /// What changes the constant.
    pub driver: Driver,
    /// Species that are consumed.
    pub from: &'static [usize],
    /// Species that are made; one of which two are made is listed twice.
    pub to: &'static [usize],
}

const fn light(constant: f64, from: &'static [usize], to: &'static [usize]) -> Reaction {
    Reaction { constant, driver: Driver::Light, from, to }
}

const fn heat(constant: f64, activation: f64, from: &'static [usize], to: &'static [usize]) -> Reaction {
    Reaction { constant, driver: Driver::Heat(activation), from, to }
}

/// The reactions, in the order of the test set. Products that the model does not follow are left out.
pub const MECHANISM: [Reaction; REACTIONS] = [
    light(0.35, &[NO2], &[NO, O3P]),
    heat(26.6, 1310.0, &[NO, O3], &[NO2]),
    heat(1.23e4, -270.0, &[HO2, NO], &[NO2, OH]),
    light(8.6e-4, &[HCHO], &[HO2, HO2, CO]),
    light(8.2e-4, &[HCHO], &[CO]),
    heat(1.5e4, -135.0, &[HCHO, OH], &[HO2, CO]),
    light(1.3e-4, &[ALD], &[MEO2, HO2, CO]),
    heat(2.4e4, -345.0, &[ALD, OH], &[C2O3]),
    heat(1.65e4, -290.0, &[C2O3, NO], &[NO2, MEO2, CO2]),
    heat(9e3, 0.0, &[C2O3, NO2], &[PAN]),
    heat(0.022, 13830.0, &[PAN], &[C2O3, NO2]),
    heat(1.2e4, -360.0, &[MEO2, NO], &[CH3O, NO2]),
    heat(1.88, 1080.0, &[CH3O], &[HCHO, HO2]),
    heat(1.63e4, 0.0, &[NO2, OH], &[HNO3]),
    heat(4.8e6, 0.0, &[O3P], &[O3]),
    light(3.5e-4, &[O3], &[O1D]),
    light(0.0175, &[O3], &[O3P]),
    heat(1e8, 0.0, &[O1D], &[OH, OH]),
    heat(4.44e11, 0.0, &[O1D], &[O3P]),
    heat(1.24e3, 0.0, &[SO2, OH], &[SO4, HO2]),
    light(2.1, &[NO3], &[NO]),
    light(5.78, &[NO3], &[NO2, O3P]),
    heat(0.0474, 2470.0, &[NO2, O3], &[NO3]),
    heat(1.78e3, 0.0, &[NO3, NO2], &[N2O5]),
    heat(3.12, 11080.0, &[N2O5], &[NO3, NO2]),
];

/// The rate constants at a temperature in K, and in `light` times that of the test problem.
#[cfg(not(target_arch = "nvptx64"))] // which has no exponential
#[must_use]
pub fn constants(temperature: f64, light: f64) -> [f64; REACTIONS] {
    MECHANISM.map(|reaction| match reaction.driver {
        Driver::Light => reaction.constant * light,
        Driver::Heat(activation) => reaction.constant * (-activation * (1.0 / temperature - 1.0 / 298.0)).exp(),
    })
}

/// Where the test problem starts, at t = 0.
#[must_use]
pub fn initial() -> [f64; SPECIES] {
    let mut y = [0.0; SPECIES];
    for (species, ppm) in [(NO, 0.2), (O3, 0.04), (HCHO, 0.1), (CO, 0.3), (ALD, 0.01), (SO2, 0.007)] {
        y[species] = ppm;
    }
    y
}

/// The solution of the test problem at t = 60 min, computed by RADAU5 with a tolerance of 1.1e-18.
pub const REFERENCE: [f64; SPECIES] = [
    0.5646255480022769e-01,
    0.1342484130422339e+00,
    0.4139734331099427e-08,
    0.5523140207484359e-02,
    0.2018977262302196e-06,
    0.1464541863493966e-06,
    0.7784249118997964e-01,
    0.3245075353396018e+00,
    0.7494013383880406e-02,
    0.1622293157301561e-07,
    0.1135863833257075e-07,
    0.2230505975721359e-02,
    0.208716288279863e-03,
    0.1396921016840158e-04,
    0.8964884856898295e-02,
    0.4352846369330103e-17,
    0.6899219696263405e-02,
    0.1007803037365946e-03,
    0.1772146513969984e-05,
    0.5682943292316392e-04,
];

/// Nitrogen atoms in each species. No reaction changes their sum, nor does an integrator or a solver that is right.
pub const NITROGEN: [f64; SPECIES] = {
    let mut atoms = [0.0; SPECIES];
    (atoms[NO2], atoms[NO], atoms[PAN], atoms[HNO3]) = (1.0, 1.0, 1.0, 1.0);
    (atoms[NO3], atoms[N2O5]) = (1.0, 2.0);
    atoms
};
