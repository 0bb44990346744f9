import { join } from "node:path";
import type { FileTree } from "../tree/file-tree.js";

/** Version control data, never read. */
const VERSION_CONTROL: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj"]);

/** Folders that never count as project text, whatever the ignore files say. */
export const ALWAYS_IGNORED_FOLDERS: ReadonlySet<string> = new Set([
    ...VERSION_CONTROL,
    "node_modules",
    "bower_components",
    "jspm_packages",
    ".pnpm-store",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".turbo",
    ".parcel-cache",
    ".nyc_output",
    "__pycache__",
    ".venv",
    ".tox",
    ".nox",
    ".eggs",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".ipynb_checkpoints",
    ".gradle",
    ".terraform",
    ".dart_tool",
]);

// These are also ordinary folder names: they count only beside the file of the tool that creates
// them, and never if git tracks something inside.
const MADE_BY: ReadonlyMap<string, readonly string[]> = new Map([
    ["dist", ["package.json", "pyproject.toml", "setup.py"]],
    ["coverage", ["package.json"]],
    ["build", ["build.gradle", "build.gradle.kts", "pyproject.toml", "setup.py", "pubspec.yaml"]],
    ["target", ["Cargo.toml", "pom.xml", "build.sbt"]],
    ["vendor", ["composer.json", "Gemfile"]],
    ["Pods", ["Podfile"]],
    ["_build", ["mix.exs", "dune-project"]],
    ["deps", ["mix.exs"]],
]);

export function isVersionControl(path: string): boolean {
    return path.split("/").some((name) => VERSION_CONTROL.has(name));
}

/** Whether an ignored path is in a dependency or build folder: models look up types there. */
export function isInDependencies(path: string, type: "file" | "dir"): boolean {
    const names = path.split("/");
    const folders = type === "file" ? names.slice(0, -1) : names;
    return (
        !isVersionControl(path) &&
        folders.some((name) => ALWAYS_IGNORED_FOLDERS.has(name) || MADE_BY.has(name))
    );
}

/** Whether `name` in `folder` (absolute) is the output of a build tool used there. */
export function isBuildOutput(
    folder: string,
    name: string,
    files: Pick<FileTree, "existsSync">
): boolean {
    return MADE_BY.get(name)?.some((maker) => files.existsSync(join(folder, maker))) ?? false;
}
