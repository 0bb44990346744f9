const USER_IN_URL = /:\/\/[^\s/@"'<>]+@/g;
const SECRET_KEY =
    /^\s*[<"]?[\w.-]*(?:token|passw|passphrase|secret|extraheader|api_?key|authorization)[\w.-]*["]?\s*[=:>]/i;

/**
 * Settings that a program cannot do without, minus the lines that hold credentials: an unreadable
 * file would end git or cargo.
 */
export function withoutCredentials(text: string): string {
    const kept: string[] = [];
    let isContinued = false;
    for (const line of text.split("\n")) {
        const isDropped: boolean = isContinued || SECRET_KEY.test(line);
        isContinued = isDropped && line.endsWith("\\");
        if (!isDropped) kept.push(line.replace(USER_IN_URL, "://"));
    }
    return kept.join("\n");
}
