//! Algorithms as text.

use papers::{Published, Strategy, parse};
use warplu::Algorithm;

const DEFAULTS: [Published; 6] = [
    Published::LEFT_LOOKING,
    Published::RIGHT_LOOKING,
    Published::CORRECTED,
    Published::ELIMINATION,
    Published::ELEMENT_WISE,
    Published::BORDERING,
];

#[test]
fn every_algorithm_is_its_text() {
    for published in DEFAULTS {
        let algorithm = Algorithm::from(published);
        assert_eq!(parse(&algorithm.to_string()).unwrap(), algorithm);
        assert_eq!(parse(algorithm.name()).unwrap(), algorithm);
    }
    assert_ne!(Algorithm::from(Published::LEFT_LOOKING), Algorithm::from(Published::RIGHT_LOOKING));
    assert_eq!(parse("latency").unwrap(), Algorithm::Latency);
}

#[test]
fn options_are_set() {
    let parsed: Published = "elimination:strategy=rows-shared,pivoting=no,threads=64".parse().unwrap();
    assert_eq!(parsed, Published::Elimination { strategy: Strategy::RowsShared, threads: 64, pivoting: false });
}

#[test]
fn faults_are_named_with_their_remedy() {
    let message = |text| parse(text).unwrap_err().to_string();
    assert!(message("gauss").contains("use auto, latency, left-looking"));
    assert!(message("kernel:gauss").contains("no kernel is called"));
    assert!(message("left-looking:nb=9").contains("nb cannot be \"9\": use 8, 10"));
    assert!(message("right-looking:interchange=delayed").contains("use sequential, grouped"));
    assert!(message("bordering:nb=8").contains("no option \"nb\""));
    assert!(message("bordering:block=100").contains("block cannot be \"100\": use auto, 1, 32"));
}
