import { firstRows } from "../../base/format.js";
import path from "node:path";
import type {
    AttachedPart,
    Attachments,
    AttachmentRequest,
    Mention,
} from "../../core/message/attachments.js";
import { prefixWithin } from "../../code/text/line-window.js";
import { fenced } from "../../core/files/fence.js";
import type { ImagePart } from "../../plugin/index.js";
import type { SharedWorkspace } from "../../workspace/shared-workspace.js";
import type { FileTree } from "../../workspace/tree/file-tree.js";
import { counted } from "../../base/format.js";
import { mediaRefusal, mediaTypeOf } from "../../base/media-type.js";
import { absolutePath, isInside, leavesFolder } from "../../base/paths.js";
import { isExpectedError } from "../../base/north-error.js";
import { isSecretFile } from "../../base/secrets/secret-files.js";
import { previewOf } from "./file-preview.js";
import { contentOf, type NamedFile, readNamedFile } from "./named-file.js";

const HEADING = "# Attached Files";
const MAX_FILES = 20;
const MAX_ENTRIES = 100;
const MAX_TEXT_BYTES = 100 * 1024;

interface Attached {
    /** Markdown below the file's name. */
    readonly text: string;
    readonly image?: ImagePart;
    readonly notice: string;
}

interface NamedPath {
    readonly absolute: string;
    /** Its real path. */
    readonly location: string;
    readonly name: string;
    readonly isInside: boolean;
    readonly isMention: boolean;
    readonly risk?: string;
}

interface AttachingPlace {
    readonly workspace: SharedWorkspace;
    /** The files that the workspace shows. */
    readonly files: FileTree;
}

/** Reads the files that the user named. Reports problems to the user and the model. */
export async function attachFiles(
    request: AttachmentRequest,
    place: AttachingPlace
): Promise<Attachments> {
    const named = await namedFiles(request, place);
    const taken = named.slice(0, MAX_FILES);
    const attached: (Attached & { readonly name: string })[] = [];
    for (const file of taken) {
        attached.push({ name: file.name, ...(await attach(file, request, place)) });
    }
    for (const given of request.given ?? []) {
        if (given.kind === "file") continue;
        const name = printable(given.name);
        const isText = given.kind === "text";
        attached.push({ name, ...(isText ? givenText(given) : givenImage(given, request)) });
    }

    const texts = attached.map(({ name, text }, index): AttachedPart => {
        const section = `## ${name}\n\n${text}`;
        const whole = index === 0 ? `${HEADING}\n\n${section}` : section;
        return { content: { type: "text", text: whole }, origin: name };
    });
    const images = attached.flatMap(({ name, image }) =>
        image ? [{ content: image, origin: name }] : []
    );
    const left = named.length - taken.length;
    return {
        parts: [...texts, ...images],
        paths: taken.filter(({ isInside }) => isInside).map(({ name }) => name),
        notices: [
            ...attached.map(({ name, notice }) => `${name}: ${notice}`),
            ...(await missingNotices(request, place)),
            ...(left > 0
                ? [`${left} more were not attached: the limit is ${MAX_FILES} at a time.`]
                : []),
        ],
    };
}

/** A mention with an extension is meant as a file; `@types/node` and `@name` are words. */
const FILE_NAME = /\.[a-z]\w*$/i;

async function missingNotices(
    { mentions, given = [] }: AttachmentRequest,
    place: AttachingPlace
): Promise<readonly string[]> {
    const linked = given.map(async (each) => {
        if (each.kind !== "file" || (await locate(each.path, place))) return [];
        return nameOf(each.path, place).name;
    });
    const mentioned = mentions.map(async (mention) => {
        const name = mention.candidates.at(-1) ?? "";
        const isMeant = FILE_NAME.test(name) && !(await resolveMention(mention, place));
        return isMeant ? printable(name) : [];
    });
    const names = (await Promise.all([...linked, ...mentioned])).flat();
    return names.map((name) => `${name}: no such file; sent as text`);
}

/** Relative to the root, if it is inside. */
function nameOf(absolute: string, { workspace: { root } }: AttachingPlace) {
    const inside = path.relative(root, absolute) || ".";
    const isInside = !leavesFolder(inside);
    return { name: printable(isInside ? inside : absolute), isInside };
}

async function namedFiles(
    { mentions, files, given = [] }: AttachmentRequest,
    place: AttachingPlace
): Promise<readonly NamedPath[]> {
    const mentioned = await Promise.all(mentions.map((mention) => resolveMention(mention, place)));
    const linked = given.flatMap((each) => (each.kind === "file" ? each.path : []));
    const wanted = [
        ...[...files, ...linked].map((absolute) => ({ absolute, isMention: false })),
        ...mentioned
            .filter((absolute) => absolute !== undefined)
            .map((absolute) => ({ absolute, isMention: true })),
    ];
    const found = new Map<string, NamedPath>();
    for (const { absolute, isMention } of wanted) {
        const location = await locate(absolute, place);
        if (location === undefined || found.has(location)) continue;
        const { name, isInside } = nameOf(absolute, place);
        const risk = isMention ? riskOf(location, absolute, place) : undefined;
        found.set(location, { absolute, location, name, isInside, isMention, risk });
    }
    return [...found.values()];
}

function riskOf(
    location: string,
    absolute: string,
    { workspace: { root }, files }: AttachingPlace
): string | undefined {
    const isHere = isInside(root, location);
    const isSecret = [location, absolute].some((file) => {
        const name = isHere ? path.relative(root, file) : file;
        return isSecretFile(name, location, files.readRegularFile);
    });
    if (isSecret) return "looks like a secret";
    return isHere ? undefined : "is outside the repository";
}

/** The real path; `undefined` if nothing is there. */
async function locate(absolute: string, { files }: AttachingPlace): Promise<string | undefined> {
    return files.realpath(absolute).catch(() => undefined);
}

async function readIn(location: string, { files }: AttachingPlace): Promise<NamedFile> {
    if (files.statSync(location)?.isDirectory()) return { kind: "folder" };
    const drafted = await files.contentBeside(location);
    if (drafted === undefined) return readNamedFile(location);
    return contentOf(location, Buffer.from(drafted), drafted.length);
}

async function resolveMention(
    { candidates }: Mention,
    place: AttachingPlace
): Promise<string | undefined> {
    for (const candidate of candidates) {
        const absolute = absolutePath(candidate, place.workspace.root);
        if ((await locate(absolute, place)) !== undefined) return absolute;
    }
    return undefined;
}

async function attach(
    file: NamedPath,
    request: AttachmentRequest,
    place: AttachingPlace
): Promise<Attached> {
    const { permit, onSecret, signal } = request;
    signal.throwIfAborted();
    const { name, risk } = file;
    if (risk && !(await permit?.(`Attach ${name}, which ${risk}`))) {
        const advice = permit ? "" : "; --file attaches it";
        return { text: "Not attached.", notice: `not attached: it ${risk}${advice}` };
    }
    if (!file.isMention || risk) onSecret?.(file.absolute);
    try {
        const content = await readIn(file.location, place);
        switch (content.kind) {
            case "folder":
                return await attachFolder(file, place);
            case "image":
                return attachImage(file, content, request);
            case "content": {
                const { bytes, size } = content;
                const { text, summary } = await previewOf(file.name, bytes, size, signal);
                return { text, notice: `attached (${summary})` };
            }
            default:
                return content satisfies never;
        }
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        return { text: `Not attached: ${error.message}`, notice: error.message };
    }
}

function givenText({ text }: { readonly text: string }): Attached {
    const size = Buffer.byteLength(text);
    const shown = prefixWithin(text, MAX_TEXT_BYTES);
    const isWhole = shown.length === text.length;
    return {
        text: `${fenced(shown)}${isWhole ? "" : "\n\n[The rest was not attached.]"}`,
        notice: isWhole
            ? `attached (${counted(size, "byte")})`
            : `the first 100 KB of ${size} bytes attached`,
    };
}

function givenImage(
    { name, data }: { readonly name: string; readonly data: string },
    request: AttachmentRequest
): Attached {
    const bytes = Buffer.from(data, "base64");
    const mediaType = mediaTypeOf(bytes);
    const why = mediaType?.startsWith("image/")
        ? mediaRefusal(mediaType, bytes)
        : "is not a PNG, JPEG, GIF or WebP image";
    if (mediaType && why === undefined) {
        return attachImage({ name }, { mediaType, bytes }, request);
    }
    return { text: `Not attached: it ${why}.`, notice: `not attached: it ${why}` };
}

function attachImage(
    { name }: Pick<NamedPath, "name">,
    { mediaType, bytes }: { readonly mediaType: string; readonly bytes: Buffer },
    { images }: AttachmentRequest
): Attached {
    const what = `An image (${mediaType}, ${Math.ceil(bytes.length / 1024)} KB)`;
    if (!images) {
        return {
            text: `${what}. The current model does not accept images, so you cannot see it.`,
            notice: "only its name is sent: this model does not accept images",
        };
    }
    const image: ImagePart = { type: "image", mediaType, data: bytes.toString("base64"), name };
    return { text: `${what}; it follows.`, image, notice: `attached (${mediaType})` };
}

/** Inside the repository, lists a folder without ignored files; outside, in full. */
async function attachFolder(
    file: NamedPath,
    { workspace, files }: AttachingPlace
): Promise<Attached> {
    const isListed = file.isInside && !(await workspace.isIgnored(file.name, "dir"));
    const names = isListed
        ? (await workspace.list(file.name)).map(({ name, type }) => entryName(name, type === "dir"))
        : files
              .readdirSync(file.location)
              .map((entry) => entryName(entry.name, entry.isDirectory()))
              .sort();
    const text = firstRows(names, MAX_ENTRIES, (more) => `[${more} more]`).join("\n");
    return {
        text: `A folder:\n\n${text || "[empty]"}`,
        notice: `listed (${counted(names.length, "entry", "entries")})`,
    };
}

function entryName(name: string, isFolder: boolean): string {
    return printable(isFolder ? `${name}/` : name);
}

/** A name may contain a line break, which must not start a line here. */
function printable(name: string): string {
    return name.replace(/\p{Cc}/gu, "�");
}
