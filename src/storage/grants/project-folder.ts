import path from "node:path";
import { writeFileAtomically } from "../files/atomic-file.js";
import { projectFolder } from "../files/directories.js";
import { withLock } from "../files/file-lock.js";
import { formatJson, readJson, setAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { cloneIdentity, makeCloneIdentity } from "./clone-identity.js";

export interface ProjectFolder {
    readonly root: string;
    readonly dataFolder: string;
}

/** Whose data it has: this clone's, nobody's yet, or that of another clone at the same path. */
type Belonging = "this-clone" | "nobody" | "another-clone";

const NAME = "clone.json";

/** If that cannot be read now, nothing in the folder counts. */
export function belongingOf(project: ProjectFolder): Promise<Belonging> {
    return readBelonging(project).then(
        ({ belonging }) => belonging,
        () => "another-clone"
    );
}

async function readBelonging({ root, dataFolder }: ProjectFolder) {
    const file = path.join(projectFolder(dataFolder, root), NAME);
    const stored = await readJson(file);
    const clone = stored.kind === "value" ? stored.value.clone : undefined;
    const isOwn = clone === (await cloneIdentity(root));
    const belonging: Belonging =
        stored.kind === "absent" ? "nobody" : isOwn ? "this-clone" : "another-clone";
    return { belonging, file, isDamaged: stored.kind === "corrupt" };
}

/** Claims the project's folder for this clone; call before writing to it. */
export async function claimProjectFolder(
    project: ProjectFolder,
    report: Report = () => {}
): Promise<void> {
    if ((await belongingOf(project)) === "this-clone") return;
    const { root, dataFolder } = project;
    const folder = projectFolder(dataFolder, root);
    await withLock(folder, async () => {
        const { belonging, file, isDamaged } = await readBelonging(project);
        if (belonging === "this-clone") return;
        if (belonging === "another-clone") {
            const reason = isDamaged ? `${file} is damaged` : `Another repository was at ${root}`;
            await setAside(folder, "former");
            report(`${reason}: earlier permissions and the learned profile do not apply.`);
        }
        const content = formatJson({ root, clone: await makeCloneIdentity(root) });
        await writeFileAtomically(file, content);
    });
}

/** At startup, tells the user once that another clone's data does not count. */
export async function settleProjectFolder(project: ProjectFolder, report: Report): Promise<void> {
    if ((await belongingOf(project)) === "another-clone") await claimProjectFolder(project, report);
}
