//! The `ropewalk` command.

fn main() -> std::process::ExitCode {
    ropewalk_cli::run_command(std::env::args_os()).into()
}
