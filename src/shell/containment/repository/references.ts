import type { ReferenceMove, RepositoryPlan } from "../../../base/repository-plan.js";
import { decoded, type LayeredGit, type ObjectReader } from "./layered-git.js";

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** References that may move without a real run. The stash's depend on its log. */
const MOVABLE = /^refs\/(?:heads|tags|remotes|notes)\/./;
const REMOTE_HEAD = /^(refs\/remotes\/.+\/)HEAD$/;
export const STASH = "refs/stash";
const MAX_MESSAGE = 1000;
const MAX_REFERENCES = 2000;

export function isId(text: string): boolean {
    return ID.test(text);
}

/** Git's own rules (git-check-ref-format), and those of `git branch` and `git tag`. */
export function isReferenceName(name: string): boolean {
    if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(name) || name.length > 1000) {
        return false;
    }
    if (name.split("/").some((part) => part.startsWith(".") || /\.lock$/i.test(part))) return false;
    const short = /^refs\/(?:heads|tags|remotes|notes)\/(.+)$/.exec(name)?.[1];
    return short === undefined || !(short.startsWith("-") || short === "HEAD");
}

/** All references and their ids, as the real repository has them. Rejects with `git-failed`. */
export async function referencesOf(real: ObjectReader): Promise<ReadonlyMap<string, string>> {
    const listing = await real.need(["for-each-ref", "--format=%(refname) %(objectname)"]);
    const lines = decoded(listing)
        .split("\n")
        .filter((line) => line !== "");
    return new Map(
        lines.map((line): [string, string] => {
            const space = line.lastIndexOf(" ");
            return [line.slice(0, space), line.slice(space + 1)];
        })
    );
}

/** What moved; or, in words, what cannot be applied. */
export function referenceMoves(
    git: LayeredGit,
    before: ReadonlyMap<string, string>,
    changed: readonly string[]
): Pick<RepositoryPlan, "moves" | "remoteHeads"> | { readonly other: string } {
    const loose = changed.filter((place) => place.startsWith("refs/"));
    const packedBefore = packedIn(git.before("packed-refs"));
    const packedAfter = packedIn(git.after("packed-refs"));
    const names = new Set(loose);
    if (changed.includes("packed-refs")) {
        for (const name of [...packedBefore.keys(), ...packedAfter.keys()]) names.add(name);
    }
    const moves: ReferenceMove[] = [];
    const remoteHeads: { name: string; after: string }[] = [];
    for (const name of names) {
        const branch = newRemoteHead(git, name);
        if (branch !== undefined) {
            remoteHeads.push({ name, after: branch });
            continue;
        }
        const after = git.after(name)?.replace(/\n$/, "") ?? packedAfter.get(name);
        const known = before.get(name);
        if (after === known) continue;
        if (name === STASH) continue;
        const isFit = MOVABLE.test(name) && isReferenceName(name) && (!after || isId(after));
        // A symbolic reference has no id of its own here.
        const isSymbolic = git.before(name)?.startsWith("ref:") ?? false;
        if (!isFit || isSymbolic) return { other: name };
        moves.push({
            name,
            ...(known !== undefined && { before: known }),
            ...(after !== undefined && { after }),
            message: lastMessage(git, name),
        });
    }
    if (moves.length + remoteHeads.length > MAX_REFERENCES) {
        return { other: `${moves.length} references` };
    }
    return { moves, ...(remoteHeads.length > 0 && { remoteHeads }) };
}

/** The branch of the same remote that a new reference leads to. */
function newRemoteHead(git: LayeredGit, name: string): string | undefined {
    const [, remote] = REMOTE_HEAD.exec(name) ?? [];
    const [, branch] = /^ref: (\S+)\n?$/.exec(decoded(git.after(name) ?? "")) ?? [];
    if (remote === undefined || branch === undefined || git.before(name) !== undefined) return;
    const isOwn = branch.startsWith(remote) && branch !== name;
    return isOwn && isReferenceName(remote.slice(0, -1)) && isReferenceName(branch)
        ? branch
        : undefined;
}

export function pointed({
    name,
    after,
}: {
    readonly name: string;
    readonly after: string;
}): string {
    const [from, to] = [name, after].map((each) => each.replace("refs/remotes/", ""));
    return `Point ${from} at ${to}`;
}

export function packedIn(text = ""): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const line of decoded(text).split("\n")) {
        const [id = "", name] = line.split(" ");
        if (name !== undefined && !line.startsWith("#") && !line.startsWith("^")) {
            found.set(name, id);
        }
    }
    return found;
}

interface LogLine {
    readonly id: string;
    readonly message: string;
}

export function newLogLines(git: LayeredGit, place: string): readonly LogLine[] {
    if (!git.isTouched(place)) return [];
    const before = logLines(git.before(place));
    return logLines(git.after(place)).slice(before.length);
}

/** `OLD NEW NAME <EMAIL> TIME ZONE\tMESSAGE` */
export function logLines(text = ""): readonly LogLine[] {
    return decoded(text)
        .split("\n")
        .flatMap((line) => {
            const [, id, message = ""] =
                /^[0-9a-f]+ ([0-9a-f]+) [^\t]*(?:\t(.*))?$/.exec(line) ?? [];
            return id !== undefined && isId(id) ? [{ id, message: cleaned(message) }] : [];
        });
}

export function lastMessage(git: LayeredGit, name: string): string {
    return newLogLines(git, `logs/${name}`).at(-1)?.message ?? "";
}

/** A line of at most `MAX_MESSAGE` characters. */
export function cleaned(message: string): string {
    return message.replace(/[\0-\x1f\x7f]+/g, " ").slice(0, MAX_MESSAGE);
}
