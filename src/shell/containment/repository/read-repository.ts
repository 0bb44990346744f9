import { lstatSync, mkdirSync } from "node:fs";
import path from "node:path";
import { isExpectedError } from "../../../base/north-error.js";
import { visibleLine } from "../../../base/safe-text.js";
import type { RepositoryPlan } from "../../../base/repository-plan.js";
import type { RepositoryChange } from "../containment.js";
import type { ProjectContents } from "./committed-files.js";
import { describeRepository } from "./describe-repository.js";
import { decoded, ObjectReader, type LayeredGit } from "./layered-git.js";
import {
    isId,
    isReferenceName,
    newLogLines,
    referenceMoves,
    referencesOf,
    STASH,
} from "./references.js";
import { stagedChange, stagedIds, writeIndex, type StagedChange } from "./staged.js";
import { stashMoves } from "./stash.js";
import { idsIn, isStateFile, stateFiles } from "./state-files.js";
import { verifyObjects } from "./verified-objects.js";

/** Git's bookkeeping and unreferenced objects. */
const MEANINGLESS =
    /^(?:objects\/(?!info\/alternates)|info\/refs$|(?:worktrees\/[^/]+\/)?(?:logs(?:\/|$)|[^/]+\.lock$|COMMIT_EDITMSG$|gc\.(?:pid|log)$|fsmonitor--daemon))/;
/** Changes nothing by itself. */
const BESIDE = /^(?:ORIG_HEAD|FETCH_HEAD|AUTO_MERGE|MERGE_RR)$/;

export type RepositoryReading =
    | { readonly kind: "nothing" }
    | { readonly kind: "change"; readonly change: RepositoryChange }
    /** `text`: see `Refusal`; `isMeanwhile`: somebody else changed it. */
    | { readonly kind: "refused"; readonly text: string; readonly isMeanwhile?: boolean };

export interface ReadingOptions {
    /** A folder of our own, for objects and the index. */
    readonly folder: string;
    /** When the command began. */
    readonly began: number;
    readonly contents: ProjectContents;
}

/** Reads what a command did in git's folder. Nothing in the repository changes. */
export async function readRepository(
    git: LayeredGit,
    options: ReadingOptions
): Promise<RepositoryReading> {
    const sorted = sortTouched(git);
    const { changed, others } = sorted;
    if (changed.length + others.length === 0) return untouched(git);
    if (others.length > 0) return refused(others);
    const meanwhile = git.touched.find(
        ({ path: place, before }) =>
            (before?.stats.ctimeMs ?? 0) > options.began && changed.includes(place)
    );
    if (meanwhile) return changedMeanwhile(meanwhile.path);
    try {
        const intent = await readIntent(git, sorted);
        if ("other" in intent) return refused([intent.other]);
        const head = git.own("HEAD");
        const isElsewhere = lstatSync(git.lower(head)).ctimeMs > options.began;
        if (intent.on !== undefined && isElsewhere) return changedMeanwhile(head);
        return await verified(git, intent, options);
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        return refused(changed);
    }
}

function changedMeanwhile(place: string): RepositoryReading {
    const text = `.git/${visibleLine(place)} changed while it ran`;
    return { kind: "refused", text, isMeanwhile: true };
}

/** What a command meant to change, before its objects are looked at. */
interface Intent extends Omit<RepositoryPlan, "index" | "pack"> {
    readonly known: ReadonlyMap<string, string>;
    readonly staged: StagedChange | undefined;
}

/** `other`: changes that are never applied. */
async function readIntent(
    git: LayeredGit,
    { changed, state }: Sorted
): Promise<Intent | { readonly other: string }> {
    const real = new ObjectReader(git.layers.root, { GIT_NO_REPLACE_OBJECTS: "1" });
    const known = await referencesOf(real);
    const references = referenceMoves(git, known, changed);
    if ("other" in references) return references;
    const { moves } = references;
    const branch = leadsTo(git.after(git.own("HEAD")));
    const orphan = moves.find(({ name, after }) => after === undefined && name === branch);
    // What is checked out stays; git itself deletes no such branch either.
    if (orphan) return { other: orphan.name };
    const files = stateFiles(git, state);
    if ("other" in files) return files;
    const head = headMove(git);
    if (head === "other") return { other: git.own("HEAD") };
    const stash = stashMoves(git);
    if (stash === "other") return { other: STASH };
    const staged = git.isTouched(git.own("index")) ? await stagedChange(git, real) : undefined;
    if (staged === "other") return { other: git.own("index") };
    const on = leadsTo(git.before(git.own("HEAD")));
    const isOn = staged || head || moves.some(({ name }) => name.startsWith("refs/heads/"));
    return {
        ...{ known, ...references, files, staged },
        ...(isOn && on !== undefined && { on }),
        ...(head && { head }),
        ...(stash && { stash }),
    };
}

async function verified(
    git: LayeredGit,
    { known, staged, ...intent }: Intent,
    { folder, contents }: ReadingOptions
): Promise<RepositoryReading> {
    const { moves, remoteHeads, head, stash, files } = intent;
    const isBeside = files.every(({ name }) => BESIDE.test(name));
    const isUnmoved = moves.length === 0 && !remoteHeads && !head && !stash;
    const isNothing = isUnmoved && !staged && isBeside;
    // A fetch may have brought objects that only this file names.
    const isFetch = files.some(({ name }) => name === "FETCH_HEAD");
    if (isNothing && !isFetch) return untouched(git);
    mkdirSync(folder, { recursive: true });
    const tips = [
        ...moves.flatMap(({ after }) => after ?? []),
        ...(head && isId(head.after) ? [head.after] : []),
        ...(stash?.pushed.map(({ id }) => id) ?? []),
        ...(staged ? stagedIds(staged) : []),
        ...idsIn(files),
    ];
    const objects = await verifyObjects(git, folder, tips, [...new Set(known.values())]);
    if (typeof objects === "string") {
        return { kind: "refused", text: `Changes the git repository: ${objects}` };
    }
    const { pack } = objects;
    if (isNothing && pack === undefined) return untouched(git);
    const index = staged && (await writeIndex(git, staged, objects.reader, folder));
    const plan = { ...intent, ...(index && { index }), ...(pack !== undefined && { pack }) };
    const described = await describeRepository({ git, plan, staged, objects, known }, contents);
    if (typeof described === "string") return { kind: "refused", text: described };
    return { kind: "change", change: { plan, ...described } };
}

interface Sorted {
    /** The changes to apply, if well formed. */
    readonly changed: readonly string[];
    /** Those of them that are `isStateFile`, without the folder. */
    readonly state: readonly string[];
    /** What never is. */
    readonly others: readonly string[];
}

function sortTouched(git: LayeredGit): Sorted {
    const [changed, state, others] = [[] as string[], [] as string[], [] as string[]];
    for (const { path: place, before, after, unfit } of git.touched) {
        if (!before && !after && unfit === undefined) continue;
        const isPlain = unfit === undefined && (!after || after.kind === "file");
        if (after?.kind === "folder" && (!before || before.kind === "folder")) continue;
        if (!after && before?.kind === "folder") continue;
        if (MEANINGLESS.test(place)) {
            // A link or a pipe among objects is as good as missing.
            continue;
        }
        if (isPlain && before && after && git.isSame(place)) continue;
        const own = path.relative(git.layers.own, place);
        const isKnown =
            place.startsWith("refs/") ||
            place === "packed-refs" ||
            own === "HEAD" ||
            own === "index" ||
            isStateFile(own);
        if (!isPlain || !isKnown || before?.kind === "folder") others.push(place);
        else changed.push(place);
        if (isPlain && isStateFile(own)) state.push(own);
    }
    return { changed, state, others };
}

/** Nothing that git shows changed. If that was the purpose, a contained run does not serve it. */
function untouched(git: LayeredGit): RepositoryReading {
    const removed = git.touched.find(({ path: place, before, after }) => {
        if (before?.kind !== "file") return false;
        if (place.startsWith("objects/")) return !after;
        const log = place.startsWith("logs/") ? git.before(place) : undefined;
        return log !== undefined && !(git.after(place) ?? "").startsWith(log);
    });
    if (!removed) return { kind: "nothing" };
    const what = removed.path.startsWith("objects/") ? "objects" : "reflog entries";
    return { kind: "refused", text: `Changes the git repository: it removes ${what}` };
}

/** What git itself writes at a commit in a submodule: nothing of it runs, as hooks or settings do. */
const OF_SUBMODULE =
    /^modules\/(.+?)\/(?:HEAD|index|packed-refs|(?:COMMIT_EDIT|MERGE_)MSG|[A-Z]+_HEAD|(?:logs|refs|objects)\/.+)$/;

/** The same words for everything that takes a real run. */
function refused(places: readonly string[]): RepositoryReading {
    const [submodule, ...others] = new Set(places.map((place) => OF_SUBMODULE.exec(place)?.[1]));
    if (submodule !== undefined && others.length === 0) {
        const text = `Changes the git repository of the submodule ${visibleLine(submodule)}`;
        return { kind: "refused", text };
    }
    const shown = places.slice(0, 3).map((place) => `.git/${visibleLine(place)}`);
    const more = places.length > 3 ? [`${places.length - 3} more`] : [];
    return {
        kind: "refused",
        text: `Changes the git repository: ${[...shown, ...more].join(", ")}`,
    };
}

function headMove(git: LayeredGit): RepositoryPlan["head"] | "other" {
    const place = git.own("HEAD");
    if (!git.isTouched(place)) return undefined;
    const [before, after] = [leadsTo(git.before(place)), leadsTo(git.after(place))];
    if (before === undefined || after === undefined) return "other";
    if (before === after) return undefined;
    const messages = newLogLines(git, git.own("logs/HEAD")).map(({ message }) => message);
    // `git checkout -` looks for these.
    const switched = messages.findLast((message) => /^checkout: moving from /.test(message));
    return { before, after, message: switched ?? messages.at(-1) ?? "" };
}

function leadsTo(text: string | undefined): string | undefined {
    const [, name] = /^ref: (refs\/heads\/.+)\n?$/.exec(decoded(text ?? "")) ?? [];
    if (name !== undefined) return isReferenceName(name) ? name : undefined;
    const id = text?.replace(/\n$/, "");
    return id !== undefined && isId(id) ? id : undefined;
}
