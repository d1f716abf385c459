//! Turns the environment's `ODRA_MODULE` and `ODRA_BACKEND` into cfg flags.
fn main() {
    odra_build::build();
}
