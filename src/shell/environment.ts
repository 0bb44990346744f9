/** The variable by which the processes of a session are found when it ends. */
export const SESSION_VARIABLE = "NORTH_SHELL_ID";

/** No colour, no pager, no question on a terminal that nobody sees. */
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

/** Variables that force colour or change the session before its first command. */
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
    "HISTFILE",
    "TIMEFORMAT",
    "CDPATH",
];

/** The environment of the session: North's own, quiet, and without the keys of providers. */
export function shellEnvironment(
    environment: NodeJS.ProcessEnv,
    withheldVariables: readonly string[],
    sessionId: string
): Record<string, string> {
    const absent = new Set([...UNWANTED, ...withheldVariables]);
    const result: Record<string, string> = {};
    for (const [name, value] of Object.entries(environment)) {
        // Functions, which would replace commands; some shells drop these by themselves.
        if (name.startsWith("BASH_FUNC_")) continue;
        if (value !== undefined && !absent.has(name)) result[name] = value;
    }

    return { ...result, ...QUIET, [SESSION_VARIABLE]: sessionId };
}
