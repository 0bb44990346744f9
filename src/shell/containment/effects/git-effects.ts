import path from "node:path";
import { gitDirectories } from "../../../base/git-directory.js";
import type { RunFolders } from "../containment.js";
import { LayeredGit } from "../repository/layered-git.js";
import {
    readRepository,
    type ReadingOptions,
    type RepositoryReading,
} from "../repository/read-repository.js";
import { LowerLayers } from "./lower-layers.js";
import { type CheckVisibility, below, touchedPaths } from "./upper-layer.js";

export interface GitView {
    readonly root: string;
    readonly base: string;
    readonly folders: RunFolders;
    readonly gitFolder?: string;
}

/** Reads what a command changed in git's folder. */
export async function gitEffects(
    { root, base, folders, gitFolder }: GitView,
    areThere: CheckVisibility,
    options: Omit<ReadingOptions, "folder">
): Promise<RepositoryReading> {
    const git = await gitDirectories(root);
    const layers = {
        root,
        own: git ? path.relative(git.common, git.own) : "",
        lower: gitFolder ?? path.join(root, ".git"),
        upper:
            gitFolder === undefined
                ? path.join(base, folders.project, "upper/.git")
                : path.join(base, folders.git, "upper"),
    };
    const touched = await touchedPaths(
        { ...layers, lower: new LowerLayers(layers.lower), isReplaceable: true },
        (paths) => areThere(paths.map((place) => below(layers.lower, place)))
    );
    const folder = path.join(base, folders.run, "repository");
    return readRepository(new LayeredGit(layers, touched), { ...options, folder });
}
