//! What the verifier of TypeScript says about proofs, compared with the crate.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use wattfeed::series::Statement;
use wattfeed::Error;

use crate::support::vectors::{fixture, hex, Vectors};

mod support {
    pub mod vectors;
}

/// What the verifier refuses, whatever the crate calls it.
const REFUSED: &str = "refused";

/// What the crate refuses of mutants beyond the verifier, by the texts that travel.
const BEYOND: [&str; 2] = ["MalformedPeriod", "MalformedValue"];

/// What the crate says: the scaled value, or the name of its error.
fn outcome(vectors: &Vectors, [pin, root, question, _]: [usize; 4], proof: &[u8]) -> String {
    let statement = match &vectors.questions[question] {
        (statement, Some(period)) if statement == "value_of" => Statement::ValueOf(period),
        (statement, None) if statement == "newest_period" => Statement::NewestPeriod,
        (statement, None) if statement == "newest_value" => Statement::NewestValue,
        other => panic!("no statement: {other:?}"),
    };
    match vectors.pins[pin].verify(&vectors.roots[root], statement, proof) {
        Ok(settled) => settled.value.to_string(),
        Err(error) => format!("{error:?}"),
    }
}

/// Applies edits, and compares what the crate says with what the verifier says. Returns the crate's answer.
fn compare(vectors: &Vectors, parts: [usize; 4], edits: &str, expected: &str) -> String {
    let mut proof = vectors.proofs[parts[3]].clone();
    for edit in edits.split(',').filter(|edit| !edit.is_empty()) {
        let mut members = edit.split(':');
        let mut next = || members.next().expect("a member of an edit");
        let (start, removed, inserted): (usize, usize, _) =
            (next().parse().expect("a place"), next().parse().expect("a number"), hex(next()));
        proof.splice(start..start + removed, inserted);
    }
    let found = outcome(vectors, parts, &proof);
    let is_error = found.parse::<i64>().is_err();
    let is_beyond = !edits.is_empty() && BEYOND.contains(&found.as_str());
    let fits = if expected == REFUSED { is_error } else { found == expected || is_beyond };
    assert!(fits, "{parts:?} {edits}: the verifier says {expected}, the crate {found}");
    found
}

/// Compares all cases of files, and returns how often the crate said what.
fn compare_cases(lines: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in lines.lines() {
        let vectors = Vectors::parse(line);
        for (parts, expected) in &vectors.cases {
            let found = compare(&vectors, *parts, "", expected);
            let kind = if found.parse::<i64>().is_ok() { "value".into() } else { found };
            *counts.entry(kind).or_default() += 1;
        }
    }
    counts
}

#[test]
fn every_case_has_the_outcome_of_the_verifier() {
    let counts = compare_cases(&fixture("series-proofs.jsonl"));
    println!("{counts:?}");
    // Each kind of answer about a leaf that the root has is among them.
    for kind in [
        "value",
        "Withheld",
        "EmptyValue",
        "OtherUnit",
        "Exponent",
        "NotANumber",
        "TooManyDigits",
        "NotNewestPeriod",
        "NotNewestValue",
    ] {
        assert!(counts.contains_key(kind), "{kind}: {counts:?}");
    }
}

#[test]
fn no_mutant_is_accepted_that_the_verifier_refuses() {
    let vectors = Vectors::parse(&fixture("series-proofs.jsonl"));
    let mutants = fixture("series-mutants.tsv");
    let mut errors = BTreeSet::new();
    for mutant in mutants.lines() {
        let members: Vec<&str> = mutant.split('\t').collect();
        let [pin, root, question, proof, edits, expected] = members[..] else { panic!("{mutant}") };
        let parts = [pin, root, question, proof].map(|part| part.parse().expect("a place"));
        let found = compare(&vectors, parts, edits, expected);
        if found.parse::<i64>().is_err() {
            errors.insert(found);
        }
    }
    assert_eq!(mutants.lines().count(), 10_000);
    // All that a proof may be refused with, and nothing else.
    let expected = [
        Error::EmptyValue,
        Error::Exponent,
        Error::MalformedPeriod,
        Error::MalformedProof,
        Error::MalformedValue,
        Error::NotANumber,
        Error::NotInTree,
        Error::NotNewestPeriod,
        Error::NotNewestValue,
        Error::OtherPeriod,
        Error::OtherUnit,
        Error::TooManyDigits,
        Error::Withheld,
    ];
    assert_eq!(errors, BTreeSet::from(expected.map(|error| format!("{error:?}"))));
}

/// Compares every value of a snapshot, if `WATTFEED_VECTORS` names the file of its proofs.
#[test]
fn every_value_of_a_snapshot_has_the_outcome_of_the_verifier() {
    let Ok(file) = std::env::var("WATTFEED_VECTORS") else { return };
    println!("{:?}", compare_cases(&fs::read_to_string(file).expect("a file")));
}
