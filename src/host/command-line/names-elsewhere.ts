/** What North has in place of other assistants' flags. */
export const FLAGS_ELSEWHERE: Readonly<Record<string, string>> = {
    "-C": "Use --path DIR.",
    "--add-dir":
        "North works in one repository, which --path names; --file attaches others' files.",
    "--allowedTools": "`north allowlist add COMMAND` allows a command.",
    "--append-system-prompt": "Put instructions into AGENTS.md.",
    "--cd": "Use --path DIR.",
    "--dangerously-skip-permissions": "Use --accept-edits and --approve-shell.",
    "--debug": "Use --log-level debug.",
    "--fork-session": "Use `north resume ID --fork`.",
    "--full-auto": "Use --accept-edits; commands run contained first.",
    "--image": "Use --file PATH.",
    "--max-budget-usd": "Use --max-cost USD.",
    "--message": "Use -p PROMPT.",
    "--permission-mode": "Use --plan, or --accept-edits.",
    "--sandbox": "Use --contain required.",
    "--search": 'Set "webSearch": true in config.json.',
    "--yolo": "Use --accept-edits and --approve-shell.",
};

/** What North has in place of other assistants' commands. */
export const COMMANDS_ELSEWHERE: Readonly<Record<string, string>> = {
    config: "Settings are in config.json; `north doctor` shows what it sets.",
    exec: 'Use `north -p "PROMPT"`.',
    "mcp add":
        "Name the server in `mcp.json` beside config.json, or in the repository's `.mcp.json`.",
    "mcp list": "`north mcp` lists the servers.",
    sessions: "Use `north conversations`.",
    upgrade: "Use `north update`.",
};
