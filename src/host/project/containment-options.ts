import path from "node:path";
import { alternateObjects } from "../../base/git-directory.js";
import { isInside, resolveRealPath } from "../../base/paths.js";
import type { ContainmentOptions } from "../../shell/containment/containment.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { ReviewedPaths } from "../../workspace/apply/reviewed-paths.js";
import type { Surroundings } from "../surroundings.js";

export function containmentOptions({
    root,
    environment,
    directories,
    settings,
    isIgnored,
}: Omit<Surroundings, "config"> &
    Pick<ContainmentOptions, "root" | "settings" | "isIgnored">): ContainmentOptions {
    // A task's repository shares the objects of its checkout. Others may name what is not theirs.
    const isNorths = isInside(resolveRealPath(directories.data) ?? directories.data, root);
    const shared = isNorths ? alternateObjects(path.join(root, ".git")) : [];
    return {
        root,
        environment,
        layerFolders: layerFolders(directories),
        hiddenFolders: Object.values(directories),
        settings: { ...settings, show: [...settings.show, ...shared] },
        isIgnored,
        outputRules: new ReviewedPaths(root, environment.PATH),
    };
}

/** Where layers are kept and swept. */
export function layerFolders({ data }: NorthDirectories): readonly string[] {
    return [path.join(data, "contained")];
}
