import { requireGit, runGit } from "../../base/git.js";
import type { BranchTip } from "../../base/repository-plan.js";
import { NorthError } from "../../base/north-error.js";

const VARIABLES = { GIT_NO_REPLACE_OBJECTS: "1" };
const TRAILER = /^[A-Za-z][A-Za-z0-9-]*: ?\S/;

/**
 * Replaces a commit with the same one whose message ends with a trailer. Without git's own
 * `interpret-trailers`, which runs commands that the repository's settings name. Rejects with
 * `git-failed`, and leaves a signed commit as it is.
 */
export async function addTrailer(
    root: string,
    { branch, commit }: BranchTip,
    trailer: string
): Promise<void> {
    const variables = VARIABLES;
    const read = await runGit(root, ["cat-file", "commit", commit], { variables });
    // Bytes: a message may be in any encoding.
    const text = read?.stdout.toString("latin1") ?? "";
    const end = text.indexOf("\n\n");
    if (end < 0 || /^gpgsig/m.test(text.slice(0, end))) {
        throw new NorthError("git-failed", `${commit.slice(0, 10)} is signed or cannot be read.`);
    }
    const line = Buffer.from(trailer).toString("latin1");
    const message = withTrailer(text.slice(end + 2), line);
    if (message === undefined) return;
    const input = Buffer.from(`${text.slice(0, end)}\n\n${message}`, "latin1");
    const store = ["hash-object", "-t", "commit", "-w", "--stdin"];
    const id = (await requireGit(root, store, { variables, input })).trim();
    const move = ["update-ref", "-m", `commit: add "${trailer}"`, branch, id, commit];
    await requireGit(root, move, { variables });
}

/** `undefined` if the message has it. */
function withTrailer(message: string, trailer: string): string | undefined {
    let end = message.length;
    // Not `trimEnd`: a byte 0xA0 is a space in latin1, and in UTF-8 the end of "à".
    while (" \t\r\n".includes(message.charAt(end - 1)) && end > 0) end -= 1;
    const body = message.slice(0, end);
    const rows = body.split("\n");
    if (rows.includes(trailer)) return undefined;
    const last = rows.slice(rows.lastIndexOf("") + 1);
    // The title is not a trailer, even if it looks like one.
    const hasTrailers = last.length < rows.length && last.every((row) => TRAILER.test(row));
    return `${body}${hasTrailers ? "\n" : "\n\n"}${trailer}\n`;
}
