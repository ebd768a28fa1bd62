//! Which digit is it? Each class of handwritten digits is a Gaussian distribution, with a 64 x 64 covariance of its
//! pixels; an image is of the class that makes it the most likely (quadratic discriminant analysis).
//!
//! Cholesky factors of many covariances at once give what a likelihood needs: the logarithm of the determinant, and
//! C^-1 (x - mean) for many images x. Some pixels are the same in all images of a class, so that its covariance is not
//! positive definite, which its status says; how much ridge to add is found by cross-validation, in the same batch.
//!
//! `cargo run --release -p warplu-examples --bin gaussian_classes`

use std::error::Error;

use warplu::{Batch, Device, Triangle};

const N: usize = 64;
const CLASSES: usize = 10;
/// Image i is left out of fold i % FOLDS, to be tested by it.
const FOLDS: usize = 3;
/// Shares of the mean variance of a class, added to all its variances.
const RIDGES: [f64; 6] = [0.0, 1e-4, 1e-3, 1e-2, 1e-1, 0.3];

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let file = npyz::NpyFile::new(&include_bytes!("../../data/digits_images_n1797_u8.npy")[..])?;
    let numbers: Vec<u8> = file.into_vec()?;
    let (images, _) = numbers.as_chunks::<{ N + 1 }>(); // the last number of each is its class

    // Covariances and tested images by fold, class and ridge: (batch, N, N) and (batch, N, tests).
    let tests = images.len() / FOLDS;
    let (mut covariances, mut differences, mut priors) = (Vec::new(), Vec::new(), Vec::new());
    for fold in 0..FOLDS {
        let of_fold = |(i, image): (usize, _)| (i % FOLDS == fold).then_some(image);
        let tested: Vec<_> = images.iter().enumerate().filter_map(of_fold).collect();
        for class in 0..CLASSES {
            let of_class = |(i, image): &(usize, &[u8; N + 1])| i % FOLDS != fold && usize::from(image[N]) == class;
            let trained: Vec<_> = images.iter().enumerate().filter(of_class).map(|(_, image)| image).collect();
            let count = trained.len() as f64;
            let mean = |p: usize| trained.iter().map(|image| f64::from(image[p])).sum::<f64>() / count;
            let mean: [f64; N] = std::array::from_fn(mean);
            let mut covariance = [[0.0; N]; N];
            for image in &trained {
                let x: [f64; N] = std::array::from_fn(|p| f64::from(image[p]) - mean[p]);
                for (row, x_i) in covariance.iter_mut().zip(&x) {
                    row.iter_mut().zip(&x).for_each(|(c, x_j)| *c += x_i * x_j / count);
                }
            }
            let variance = (0..N).map(|p| covariance[p][p]).sum::<f64>() / N as f64;
            for ridge in RIDGES {
                let element = |(k, c): (usize, &f64)| c + if k % (N + 1) == 0 { ridge * variance } else { 0.0 };
                covariances.extend(covariance.as_flattened().iter().enumerate().map(element));
                for (p, mean) in mean.iter().enumerate() {
                    differences.extend(tested.iter().map(|image| f64::from(image[p]) - mean));
                }
                priors.push((count / images.len() as f64).ln());
            }
        }
    }
    let batch = priors.len();
    let covariances = Batch::row_major(&covariances, batch, N, N)?;
    println!("{batch} covariances of {N} x {N}, {tests} images to each, on {device}");

    // Here is warplu: factors, determinants, solutions.
    let cholesky = device.cholesky(&covariances, Triangle::Lower)?;
    let log_det = cholesky.det()?.log_abs;
    let solutions = cholesky.solve(&Batch::row_major(&differences, batch, N, tests)?)?.x;

    let log_likelihood = |b: usize, image: usize| {
        let (d, x) = (&differences[b * N * tests..], solutions.matrix(b));
        let square: f64 = (0..N).map(|p| d[p * tests + image] * x[p * tests + image]).sum();
        priors[b] - 0.5 * (N as f64 * std::f64::consts::TAU.ln() + log_det[b] + square)
    };
    let mut best = (f64::NEG_INFINITY, 0.0);
    for (r, ridge) in RIDGES.iter().enumerate() {
        let model = |fold: usize, class: usize| (fold * CLASSES + class) * RIDGES.len() + r;
        let models = (0..FOLDS * CLASSES).map(|k| model(k / CLASSES, k % CLASSES));
        let bad: Vec<_> = models.filter_map(|b| Some(cholesky.status()[b]).filter(|status| !status.is_ok())).collect();
        if let [status, ..] = bad[..] {
            println!("ridge {ridge:<6}: {} covariances are bad, the first is {status}", bad.len());
            continue;
        }
        let (mut right, mut sum) = (0, 0.0);
        for (i, image) in images.iter().enumerate() {
            let of_class = |class| log_likelihood(model(i % FOLDS, class), i / FOLDS);
            let guess = (0..CLASSES).max_by(|a, b| of_class(*a).total_cmp(&of_class(*b)));
            right += usize::from(guess == Some(usize::from(image[N])));
            sum += of_class(usize::from(image[N]));
        }
        let (share, mean) = (right as f64 / images.len() as f64, sum / images.len() as f64);
        println!("ridge {ridge:<6}: {:.1} % recognized, log-likelihood {mean:.1}", 100.0 * share);
        best = if mean > best.0 { (mean, share) } else { best };
    }

    // LU gives the same determinants, and the ridge that makes unseen images the most likely recognizes most of them.
    let by_lu = device.det(&covariances)?.log_abs;
    let both = log_det.iter().zip(&by_lu).filter(|(log_det, _)| !log_det.is_nan());
    let off = both.map(|(by_cholesky, by_lu)| (by_cholesky - by_lu).abs()).fold(0.0, f64::max);
    let bad = cholesky.status().bad().count();
    println!("{bad} not positive definite; log-determinants by LU differ by {off:.1e} at most");
    let ok = bad == FOLDS * CLASSES && off < 1e-9 && best.1 > 0.97;
    if ok { Ok(()) } else { Err("not as it should be".into()) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::main().unwrap();
    }
}
