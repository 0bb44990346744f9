import type { FileChange } from "./change-set.js";
import { withoutInvisible } from "./protected-path.js";

// Some program runs or obeys these files without being asked to: an editor that opens the folder, a
// shell that enters it, git, CI, another assistant. Most begin with a dot, and new ones appear each
// month, so the rule is the dot and the list is of exceptions: docs/security.md.

/** Data that no program executes, if nothing else in the path begins with a dot. */
const DATA =
    /(?:^|\/)(?:\.(?:git|docker|npm|eslint|prettier|stylelint)ignore|\.(?:git)?keep|\.editorconfig|\.prettierrc(?:\.(?:json|ya?ml|toml))?|\.eslintrc\.(?:json|ya?ml)|\.env[-.](?:example|sample|template)|\.(?:eslint|stylelint)cache|\.coverage|\.tsbuildinfo|\.DS_Store)$/i;

/** What tools build and cache: it runs, if at all, with the program it was built for. */
const OUTPUTS =
    /(?:^|\/)(?:\.(?:next|nuxt|svelte-kit|turbo|parcel-cache|nyc_output|mypy_cache|pytest_cache|ruff_cache|ipynb_checkpoints)(?=\/|$)|node_modules\/\.(?:cache|vite|vite-temp|vitest)(?=\/))/gi;

/** Names without a dot. */
const NAMED = [
    // Git hooks by name, since `core.hooksPath` can make any folder the hooks folder.
    /^(?:(?:applypatch|commit|prepare-commit|sendemail)-(?:msg|validate)|(?:pre|post)-(?:applypatch|commit|merge-commit|rebase|checkout|merge|push|receive|update|auto-gc|rewrite|index-change)|update|proc-receive|push-to-checkout|reference-transaction|fsmonitor-watchman)$/i,
    // Programs that hooks of git start.
    /^(?:lefthook(?:-local)?\.(?:ya?ml|toml|json)|grumphp\.ya?ml|captainhook\.json|(?:lint-staged|commitlint)\.config\.[cm]?[jt]s)$/i,
    // CI.
    /^(?:jenkinsfile(?:[.-].*)?|(?:azure|bitbucket)-pipelines.*\.ya?ml|appveyor\.ya?ml|cloudbuild\.(?:ya?ml|json)|buildspec\.ya?ml|codemagic\.ya?ml|wercker\.ya?ml|netlify\.toml|vercel\.json|render\.ya?ml)$/i,
    // Editors and shells that open the folder.
    /^(?:.*\.code-workspace|mise(?:\..+)?\.toml|(?:flake|shell|devenv)\.nix|devbox\.json)$/i,
    // Other assistants.
    /^(?:(?:agents?|claude|gemini|qwen|crush|warp)(?:[.-].*)?\.md|opencode\.jsonc?|crush\.json)$/i,
];

/** Folders of installed programs and libraries, which a rule of their own covers. */
const DEPENDENCIES =
    /(?:^|\/)(?:node_modules|bower_components|jspm_packages|site-packages|\.(?:pnpm-store|venv|tox|nox|eggs|gradle|terraform|dart_tool))(?=\/)/gi;
/** Such folders if git ignores them; else they may be anything. Cargo builds in `target/debug/deps`. */
const IGNORED_DEPENDENCIES =
    /(?:^|\/)(?:vendor|Pods|venv|(?<!(?:^|\/)target\/(?:[^/]+\/){1,2})deps)\//i;
/** Python runs these when it starts. */
const STARTS_WITH_PYTHON = /\.pth$|(?:^|\/)(?:site|user)customize\.py$/i;

const EXECUTABLE = 0o111;

/** Whether some program runs or obeys a file or folder of this name without being asked to. */
export function runsLater(path: string): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (NAMED.some((pattern) => pattern.test(withoutInvisible(name)))) return true;
    const plain = withoutInvisible(path).replace(OUTPUTS, "").replace(DEPENDENCIES, "");
    return /(?:^|\/)\.[^/]/.test(plain.replace(DATA, ""));
}

/**
 * The name by which a change would run later. In a dependency folder, new data that a command left is
 * part of an installation; anything else would run in place of what was installed.
 */
export function nameRunLater(change: FileChange): string | undefined {
    const { path, realPath = path, runsAs, type, isIgnored = false } = change;
    if (runsAs !== undefined) return runsAs;
    const names = [path, realPath];
    const later = names.find(runsLater);
    if (later !== undefined || type === "folder" || isNewData(change)) return later;
    return names.find((name) => isDependency(name, isIgnored));
}

/** Names that tools look for in any folder they start in or pass through. */
const LOOKED_FOR =
    /(?:^|\/)\.(?:git[^/]*|env(?:[.-][^/]*)?|envrc|[^/]*rc(?:\.[^/]*)?|vscode|idea|zed|devcontainer[^/]*|husky|cargo|mvn|direnv|config|mcp[^/]*|claude[^/]*|cursor[^/]*|codex|gemini|windsurf[^/]*|north|github|gitlab[^/]*|circleci|buildkite|ssh|aws|kube|docker[^/]*|tool-versions|mise[^/]*|yarn|pnpmfile[^/]*|pypirc|netrc|bash[^/]*|zsh[^/]*|profile|lefthook[^/]*|pre-commit[^/]*)(?=\/|$)/i;

/**
 * The name by which something that a command left in an ignored folder would run later. Builds give
 * their files any dotted names, so only names that tools look for count there.
 */
export function outputRunLater(change: FileChange, ignoredFolder: string): string | undefined {
    const { path, type } = change;
    if (runsLater(ignoredFolder)) return path;
    const inside = withoutInvisible(path.slice(ignoredFolder.length));
    const name = inside.slice(inside.lastIndexOf("/") + 1);
    if (NAMED.some((pattern) => pattern.test(name))) return path;
    const isInstalled = isDependency(path, true);
    if (isInstalled) return type === "folder" || isNewData(change) ? undefined : path;
    return LOOKED_FOR.test(inside.replace(DATA, "")) ? path : undefined;
}

function isNewData({ path, type, before, mode = 0, isIgnored = false }: FileChange): boolean {
    const isPlain = type === undefined && (mode & EXECUTABLE) === 0;
    return isIgnored && before === null && isPlain && !STARTS_WITH_PYTHON.test(path);
}

function isDependency(path: string, isIgnored: boolean): boolean {
    const plain = withoutInvisible(path).replace(OUTPUTS, "");
    return plain.search(DEPENDENCIES) >= 0 || (isIgnored && IGNORED_DEPENDENCIES.test(plain));
}
