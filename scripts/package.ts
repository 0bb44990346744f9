// Files that differ between package and checkout: a manifest without development fields, exact
// dependency versions, and repository links in place of links out of the package. npm calls this
// when packing: `prepack` writes these files, `postpack` restores the originals.
import { execFileSync } from "node:child_process";
import {
    cpSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Backups of the checkout's files while npm packs. */
const saved = path.join(root, "build", "unpacked");
export const SHRINKWRAP = "npm-shrinkwrap.json";

interface Manifest {
    readonly homepage: string;
    readonly version: string;
}

/** Returns the names of the files that npm packs. */
export function packedFiles(): readonly string[] {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
    const listed = execFileSync("npm", args, { cwd: root, encoding: "utf8" });
    const [packed] = JSON.parse(listed) as readonly {
        readonly files: readonly { readonly path: string }[];
    }[];
    return packed?.files.map((file) => file.path) ?? [];
}

/** Returns the contents of files that differ from the checkout's, by name. */
export function packageTexts(packed: readonly string[]): ReadonlyMap<string, string> {
    const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    const shipped = { ...manifest, files: [...manifest.files, SHRINKWRAP] };
    for (const field of ["scripts", "devDependencies", "workspaces"]) delete shipped[field];
    const pages = packed.filter((file) => file.endsWith(".md"));
    return new Map<string, string>([
        ["package.json", `${JSON.stringify(shipped, null, 2)}\n`],
        [SHRINKWRAP, shrinkwrap(shipped)],
        ...pages.map((page) => [page, withLinks(page, packed, manifest)] as const),
    ]);
}

/** npm itself prunes the lock to this manifest's dependencies. */
function shrinkwrap(manifest: object): string {
    const folder = mkdtempSync(path.join(tmpdir(), "north-shrinkwrap-"));
    try {
        writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
        cpSync(path.join(root, "package-lock.json"), path.join(folder, SHRINKWRAP));
        const args = ["install", "--package-lock-only", "--ignore-scripts", "--offline"];
        execFileSync("npm", [...args, "--no-audit", "--loglevel=error"], { cwd: folder });
        return readFileSync(path.join(folder, SHRINKWRAP), "utf8");
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/**
 * Rewrites a page's links: files that are not packed are linked in the repository, at this
 * version's tag.
 */
function withLinks(
    page: string,
    packed: readonly string[],
    { homepage, version }: Manifest
): string {
    const text = readFileSync(path.join(root, page), "utf8");
    return text.replace(/(?<=\]\()(?![a-z]+:|#)[^)\s]+/g, (target) => {
        const file = path.join(path.dirname(page), target);
        if (packed.includes(file.replace(/#.*/, ""))) return target;
        return `${homepage}/${file.endsWith(".svg") ? "raw" : "blob"}/v${version}/${file}`;
    });
}

function prepare(): void {
    restore();
    for (const [file, text] of packageTexts(packedFiles())) {
        const copy = path.join(saved, file);
        mkdirSync(path.dirname(copy), { recursive: true });
        if (file !== SHRINKWRAP) cpSync(path.join(root, file), copy);
        writeFileSync(path.join(root, file), text);
    }
}

/** Also called by the next packing, in case the last one was killed. */
function restore(): void {
    rmSync(path.join(root, SHRINKWRAP), { force: true });
    if (existsSync(saved)) cpSync(saved, root, { recursive: true });
    rmSync(saved, { recursive: true, force: true });
}

const [, program, task] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
    if (task === "prepack") prepare();
    else restore();
}
