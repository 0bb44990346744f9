// Sets a checkout's git hooks; no-op in an installed package.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync(".git") && existsSync(".githooks")) {
    try {
        execFileSync("git", ["config", "core.hooksPath", ".githooks"], { stdio: "ignore" });
    } catch {
        // A checkout without git on the PATH still builds.
    }
}
