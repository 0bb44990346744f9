import type { AllowedCommand } from "../../plugin/index.js";

/** Why a command needs approval despite the allowlist. `folder`: `undefined` outside the root. */
export function whyUnlisted(
    command: string,
    folder: string | undefined,
    allowed: readonly AllowedCommand[]
): string {
    if (folder === undefined) return "Outside the project, the allowlist does not apply.";
    const elsewhere = allowed.find((other) => other.command === command && other.cwd !== folder);
    if (elsewhere) {
        const path = elsewhere.cwd === "" ? "the project folder" : elsewhere.cwd;
        return `It is allowed in ${path}, not here.`;
    }
    const words = (text: string): string => text.trim().split(/\s+/).join(" ");
    const alike = allowed.find((other) => words(other.command) === words(command));
    if (alike) return "It is allowed with different whitespace; only the exact text matches.";
    const part = allowed.find(
        (other) => other.cwd === folder && words(command).startsWith(`${words(other.command)} `)
    );
    if (part) return `Only \`${part.command}\` is allowed, not what follows it here.`;
    return "It is not in this project's allowlist.";
}
