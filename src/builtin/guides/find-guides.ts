import path from "node:path";
import { oneLine } from "../../base/format.js";
import { type FrontMatter, readFrontMatter } from "../../base/front-matter.js";
import { leavesFolder } from "../../base/paths.js";
import type { ContextRequest } from "../../plugin/index.js";
import { openOwnText, type ReadText } from "./own-text.js";

/** A Markdown file with front matter that tells models how to do something, such as a skill. */
export interface Guide {
    readonly name: string;
    readonly description: string;
    /** Who wrote it: the user, or the repository's authors. */
    readonly owner: "user" | "repository";
    /** For display: relative to the root, or below `~`. */
    readonly folder: string;
    /** Its text, relative to the folder. */
    readonly file: string;
    /** Reads the start of one of the folder's files. */
    readonly read: ReadText;
}

export interface FoundGuides<Kind extends Guide> {
    /** By name; on conflicts the first folder wins. */
    readonly guides: ReadonlyMap<string, Kind>;
    /** Why guides were left out, one sentence each. */
    readonly problems: readonly string[];
}

export type GuideSource = Pick<ContextRequest, "workspace" | "guidance">;

interface GuidePlace {
    /** Relative to the folder that was searched. */
    readonly entry: string;
    /** Absolute, without links. */
    readonly real: string;
    readonly file: string;
}

interface Located extends Omit<Guide, "name" | "description"> {
    readonly real: string;
    /** Names it in lists. */
    readonly place: string;
    readonly problem?: string;
}

export interface GuideKind<Kind extends Guide> {
    readonly plural: string;
    /** Relative to the root. As in other assistants, they override the user's. */
    readonly projectFolders: readonly string[];
    /** Absolute. */
    readonly userFolders: readonly string[];
    readonly home: string;
    /** The guides in a folder, sorted by name. */
    placesIn(folder: string): Promise<readonly GuidePlace[]>;
    /** Names a guide in lists. */
    placeOf(folder: string, file: string): string;
    /** Returns the guide, or the reason why it is invalid. */
    toGuide(guide: Guide & { readonly real: string }, fields: FrontMatter["fields"]): Kind | string;
}

const MAX_HEAD_BYTES = 16 * 1024;
const MAX_GUIDES = 300;
/** The largest published skills have 75 KB. */
const MAX_BYTES = 1024 * 1024;

export async function findGuides<Kind extends Guide>(
    source: GuideSource,
    kind: GuideKind<Kind>
): Promise<FoundGuides<Kind>> {
    const inProject = kind.projectFolders.map((folder) => projectGuides(source, folder, kind));
    const ofUser = kind.userFolders.map((folder) => userGuides(folder, kind));
    const all = (await Promise.all([...inProject, ...ofUser])).flat();
    // One folder is often a link to another.
    const distinct = [...new Map(all.map((each) => [each.place, each])).values()];
    const read = await Promise.all(
        distinct.slice(0, MAX_GUIDES).map(async (each) => ({
            place: each.place,
            guide: await readGuide(each, kind),
        }))
    );
    const guides = new Map<string, Kind>();
    const places = new Map<string, string>();
    const problems: string[] = [];
    for (const { place, guide } of read) {
        if (typeof guide === "string") {
            problems.push(`${place}: ${guide}.`);
            continue;
        }
        const winner = places.get(guide.name);
        if (winner !== undefined) {
            problems.push(`${place}: ${winner} has the same name.`);
            continue;
        }
        guides.set(guide.name, guide);
        places.set(guide.name, place);
    }
    if (distinct.length > MAX_GUIDES) {
        problems.push(
            `Only the first ${MAX_GUIDES} of ${distinct.length} ${kind.plural} are read.`
        );
    }
    return { guides, problems };
}

async function projectGuides(
    { workspace, guidance }: GuideSource,
    folder: string,
    { placesIn, placeOf }: Pick<GuideKind<Guide>, "placesIn" | "placeOf">
): Promise<Located[]> {
    const { root } = workspace;
    return (await placesIn(path.join(root, folder))).map(({ entry, real, file }) => {
        const shown = path.relative(root, real);
        const located = { owner: "repository", real, file } as const;
        if (leavesFolder(shown)) {
            const place = `${folder}/${entry}`;
            const problem = "it links outside the repository";
            return { ...located, folder: place, place, problem, read: async () => undefined };
        }
        return {
            ...located,
            folder: shown,
            place: placeOf(shown, file),
            read: (name, maxBytes) => guidance(path.posix.join(shown, name), maxBytes),
        };
    });
}

async function userGuides(
    folder: string,
    { placesIn, placeOf, home }: Pick<GuideKind<Guide>, "placesIn" | "placeOf" | "home">
): Promise<Located[]> {
    return (await placesIn(folder)).map(({ real, file }) => {
        const shown = real.startsWith(home + path.sep) ? `~${real.slice(home.length)}` : real;
        const place = placeOf(shown, file);
        return { owner: "user", real, file, folder: shown, place, read: openOwnText(real) };
    });
}

async function readGuide<Kind extends Guide>(
    { place, problem, ...located }: Located,
    { toGuide }: GuideKind<Kind>
): Promise<Kind | string> {
    if (problem !== undefined) return problem;
    const { file } = located;
    const head = await located.read(file, MAX_HEAD_BYTES);
    const subject = place.endsWith(file) ? "it" : file;
    if (head === undefined) {
        return `${subject} is empty, a link, not text, ignored, or contains a secret`;
    }
    const { fields } = await readFrontMatter(head.text);
    const { description } = fields;
    if (typeof description !== "string" || description.trim() === "") {
        return `${subject} has no description`;
    }
    const ownName = file === path.posix.basename(place) ? file.replace(/\.md$/, "") : place;
    const name = typeof fields.name === "string" ? fields.name : path.posix.basename(ownName);
    return toGuide({ ...located, name: oneLine(name), description: oneLine(description) }, fields);
}

/** Returns a guide's text without the front matter. */
export async function readGuideText({ read, file }: Guide): Promise<string | undefined> {
    const whole = await read(file, MAX_BYTES);
    return whole && (await readFrontMatter(whole.text)).body;
}

/** Returns another file of its folder. */
export async function readGuideFile({ read }: Guide, file: string): Promise<string | undefined> {
    return (await read(file, MAX_BYTES))?.text;
}
