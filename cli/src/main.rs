//! The program `warplu`.

fn main() -> std::process::ExitCode {
    warplu_cli::main()
}
