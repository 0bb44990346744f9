/** The variable that marks a session's processes, to find them when it ends. */
export const SESSION_VARIABLE = "NORTH_SHELL_ID";

/** No colour, no pager, no prompts on a terminal that nobody sees. */
const QUIET: Readonly<Record<string, string>> = {
    TERM: "dumb",
    NO_COLOR: "1",
    CLICOLOR: "0",
    PAGER: "cat",
    GIT_PAGER: "cat",
    MANPAGER: "cat",
    SYSTEMD_PAGER: "",
    GIT_TERMINAL_PROMPT: "0",
    DEBIAN_FRONTEND: "noninteractive",
};

/** Variables that force colour or affect the session before its first command. */
const UNWANTED = [
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "LINES",
    "BASHOPTS",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "PS0",
    "PS4",
    "TMOUT",
    "ENV",
    "MAIL",
    "MAILPATH",
    "MAILCHECK",
    "HISTFILE",
    "TIMEFORMAT",
    "CDPATH",
];

/** Returns the session's environment: North's own, made quiet, without provider keys. */
export function shellEnvironment(
    environment: NodeJS.ProcessEnv,
    withheldVariables: readonly string[],
    sessionId: string
): Record<string, string> {
    const absent = new Set([...UNWANTED, ...withheldVariables]);
    const result: Record<string, string> = {};
    for (const [name, value] of Object.entries(environment)) {
        // Exported functions would replace commands; some shells drop them anyway.
        if (name.startsWith("BASH_FUNC_")) continue;
        if (value !== undefined && !absent.has(name)) result[name] = value;
    }

    return { ...result, ...QUIET, [SESSION_VARIABLE]: sessionId };
}
