//! Hashes, signatures and random bytes.

use alloc::{vec, vec::Vec};

use casper_contract::ext_ffi;
use casper_types::bytesrepr::Bytes;

use crate::bytes::{argument, status};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "blake2b" => blake2b(argument("size")),
        "generic_hash" => generic_hash(argument("algorithm"), argument("size")),
        "random_bytes" => random_bytes(argument("size")),
        "verify_signature" => verify_signature(),
        "recover_secp256k1" => recover_secp256k1(),
        _ => return None,
    })
}

fn blake2b(size: u32) -> Vec<u8> {
    let message: Bytes = argument("message");
    let mut output = vec![0_u8; size as usize];
    #[allow(deprecated)]
    let code = unsafe { ext_ffi::casper_blake2b(message.as_ptr(), message.len(), output.as_mut_ptr(), output.len()) };
    [status(code), output].concat()
}

fn generic_hash(algorithm: u8, size: u32) -> Vec<u8> {
    let message: Bytes = argument("message");
    let output = vec![0_u8; size as usize];
    let code = unsafe {
        ext_ffi::casper_generic_hash(message.as_ptr(), message.len(), algorithm, output.as_ptr(), output.len())
    };
    [status(code), output].concat()
}

fn random_bytes(size: u32) -> Vec<u8> {
    let mut output = vec![0_u8; size as usize];
    let code = unsafe { ext_ffi::casper_random_bytes(output.as_mut_ptr(), output.len()) };
    [status(code), output].concat()
}

fn verify_signature() -> Vec<u8> {
    let [message, signature, key] = ["message", "signature", "key"].map(argument::<Bytes>);
    status(unsafe {
        ext_ffi::casper_verify_signature(
            message.as_ptr(),
            message.len(),
            signature.as_ptr(),
            signature.len(),
            key.as_ptr(),
            key.len(),
        )
    })
}

fn recover_secp256k1() -> Vec<u8> {
    let [message, signature] = ["message", "signature"].map(argument::<Bytes>);
    let output = vec![0_u8; 34];
    let code = unsafe {
        ext_ffi::casper_recover_secp256k1(
            message.as_ptr(),
            message.len(),
            signature.as_ptr(),
            signature.len(),
            output.as_ptr(),
            argument("recovery"),
        )
    };
    [status(code), output].concat()
}
