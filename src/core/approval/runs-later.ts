/** Files that some program runs, or takes orders from, without being asked: trust.md section 2. */
const RUNS_LATER = [
    // By their names, since `core.hooksPath` makes any folder one of hooks.
    /(?:^|\/)(?:(?:applypatch|commit|prepare-commit|sendemail)-(?:msg|validate)|(?:pre|post)-(?:applypatch|commit|merge-commit|rebase|checkout|merge|push|receive|update|auto-gc|rewrite|index-change)|update|proc-receive|push-to-checkout|reference-transaction|fsmonitor-watchman)$/i,
    /(?:^|\/)\.git(?:attributes|modules)$/i,
    /(?:^|\/)\.(?:envrc|npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs|mcp\.json|pre-commit-config\.yaml)$/i,
    /(?:^|\/)\.(?:husky|githooks|vscode|idea|devcontainer|north|claude|cursor|codex|gemini|windsurf)\//i,
    /(?:^|\/)\.(?:github\/workflows|circleci|gitlab-ci\.d)\//i,
    /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI)\.md$/i,
    /(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|gitlab-ci\.yml)$/i,
];

export function runsLater(path: string): boolean {
    return RUNS_LATER.some((pattern) => pattern.test(path));
}
