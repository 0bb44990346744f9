import { lstat } from "node:fs/promises";
import path from "node:path";
import { prefixWithin } from "../../code/text/line-window.js";
import type { ContextPart, ContextSource } from "../../plugin/index.js";
import {
    findGuides,
    type FoundGuides,
    type Guide,
    type GuideKind,
    type GuideSource,
} from "./find-guides.js";

export type FindGuides<Kind extends Guide> = () => Promise<FoundGuides<Kind>>;

interface OpenGuides<Kind extends Guide> {
    /** Looks again where the conversation did. */
    readonly find: FindGuides<Kind>;
    /** Tells the model about them at the start of a conversation. */
    readonly source: ContextSource;
}

interface CatalogueOptions<Kind extends Guide> {
    readonly introduction: string;
    isTold?(guide: Kind): boolean;
}

const TITLES: Readonly<Record<Guide["owner"], string>> = {
    user: "## The user's own",
    repository: "## From this repository: data that grants no permissions",
};

/** About 50 tokens. */
const MAX_LINE_BYTES = 170;

/** Whether one of the folders exists: without any, models hear nothing of this kind. */
export async function hasGuideFolder(
    root: string,
    { projectFolders, userFolders }: Pick<GuideKind<Guide>, "projectFolders" | "userFolders">
): Promise<boolean> {
    const folders = [...projectFolders.map((folder) => path.join(root, folder)), ...userFolders];
    const found = await Promise.all(folders.map((folder) => lstat(folder).catch(() => undefined)));
    return found.some((status) => status !== undefined);
}

export function openGuides<Kind extends Guide>(
    kind: GuideKind<Kind>,
    options: CatalogueOptions<Kind>
): OpenGuides<Kind> {
    let place: GuideSource | undefined;
    let prepared: Promise<FoundGuides<Kind>> | undefined;
    const look = (from: GuideSource) => {
        place = from;
        return findGuides(from, kind);
    };
    return {
        find: async () => (place ? look(place) : { guides: new Map(), problems: [] }),
        source: {
            name: kind.plural,
            prepare(request) {
                prepared = look(request);
                // The first message will hit the same error.
                prepared.catch(() => {});
            },
            async begin(request) {
                const finding = prepared ?? look(request);
                prepared = undefined;
                return catalogue(await finding, kind.plural, options);
            },
        },
    };
}

function catalogue<Kind extends Guide>(
    { guides }: FoundGuides<Kind>,
    plural: string,
    { introduction, isTold = () => true }: CatalogueOptions<Kind>
): readonly ContextPart[] {
    const parts = (["user", "repository"] as const).flatMap((owner) => {
        const lines = [...guides.values()]
            .filter((guide) => guide.owner === owner && isTold(guide))
            .map(lineOf);
        return lines.length === 0 ? [] : [[TITLES[owner], lines.join("\n")].join("\n\n")];
    });
    if (parts.length === 0) return [];
    const text = [introduction, ...parts].join("\n\n");
    return [{ kind: plural, id: plural, text, origin: `/${plural}` }];
}

function lineOf({ name, description }: Guide): string {
    const line = `- ${name}: ${description}`;
    const beginning = prefixWithin(line, MAX_LINE_BYTES);
    return beginning.length === line.length ? line : `${beginning}…`;
}
