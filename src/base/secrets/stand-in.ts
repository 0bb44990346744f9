import { readRegularFile } from "../read-regular-file.js";
import { replaceCredentials } from "./credentials.js";
import { withoutGitCredentials } from "./git-settings.js";
import { judgeName } from "./secret-names.js";

const MAX_BYTES = 256 * 1024;

/**
 * What a contained command sees in place of a secret file: settings without their credentials, in
 * the same size, so that tools still work and git sees no change. `undefined` for any other secret:
 * nothing of it may be read.
 */
export function standInFor(
    name: string,
    path: string | Buffer,
    isGit: boolean
): Buffer | undefined {
    if (!isGit && judgeName(name) !== "settings") return undefined;
    const read = readRegularFile(path, MAX_BYTES, "follow");
    if (!read?.isWhole) return undefined;
    // One character for each byte, whatever the encoding.
    const text = read.bytes.toString("latin1");
    const clean = isGit
        ? withoutGitCredentials(text)
        : replaceCredentials(text, (found) => "x".repeat(found.length), "settings");
    return Buffer.from(
        /(?:^|\/)(?:\.npmrc|pnpm\/rc)$/.test(name) ? withoutLogins(clean) : clean,
        "latin1"
    );
}

/** A registry refuses a wrong login also for what is public: such lines become comments. */
function withoutLogins(settings: string): string {
    return settings.replace(/^.(?=[^=\n]*_(?:auth|authToken|password)[ \t]*=[ \t]*"?x{4,})/gm, ";");
}
