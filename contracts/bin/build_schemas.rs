//! Writes the Casper Contract Schema of each contract into a folder.
//!
//! usage: build_schemas FOLDER RUSTC, where RUSTC is the version of the compiler that built the wasm
use std::{env, fs, path::Path};

use odra::contract_def::HasIdent;
use odra::schema::casper_contract_schema::ContractSchema;
use odra::schema::{camel_to_snake, schema, SchemaCustomTypes, SchemaEntrypoints, SchemaErrors, SchemaEvents};
use wattfeed_contracts::attestation_registry::AttestationRegistry;
use wattfeed_contracts::eligibility_gate::EligibilityGate;
use wattfeed_contracts::feed_registry::FeedRegistry;

fn main() {
    let [folder, rustc] = [1, 2].map(|index| env::args().nth(index).expect("usage: build_schemas FOLDER RUSTC"));
    for mut schema in [schema_of::<FeedRegistry>(), schema_of::<AttestationRegistry>(), schema_of::<EligibilityGate>()]
    {
        // Odra writes the compiler of this program, which may be another one.
        schema.toolchain = rustc.clone();
        let file = format!("{}_schema.json", camel_to_snake(&schema.contract_name));
        let text = schema.as_json().expect("schemas are JSON") + "\n";
        fs::write(Path::new(&folder).join(file), text).expect("cannot write the schema");
    }
}

fn schema_of<T>() -> ContractSchema
where
    T: HasIdent + SchemaEntrypoints + SchemaEvents + SchemaCustomTypes + SchemaErrors,
{
    let name = T::ident();
    let authors = vec![String::from(env!("CARGO_PKG_AUTHORS"))];
    schema::<T>(&name, &name, env!("CARGO_PKG_VERSION"), authors, "", "")
}
