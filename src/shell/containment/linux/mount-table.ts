/** One line of fstab(5). */
export interface Mount {
    readonly source: string;
    readonly target: string;
    readonly type: "none" | "overlay" | "tmpfs" | "devpts";
    readonly options: string;
}

export function bind(source: string, target: string, access: "rw" | "ro" = "ro"): Mount {
    // Any flag makes it writable again, whose source is read-only by now. The place is made where it
    // is missing: in a folder that has just been covered.
    const options = `rbind,${access === "ro" ? "ro," : ""}nosuid,nodev,X-mount.mkdir`;
    return { source, target, type: "none", options };
}

/** A device of the machine; all else is mounted so that devices do not work. */
export function device(name: string): Mount {
    return { source: `/dev/${name}`, target: `dev/${name}`, type: "none", options: "bind,dev,ro" };
}

export function emptyFolder(target: string, options: string): Mount {
    return {
        source: "tmpfs",
        target,
        type: "tmpfs",
        options: `${options},nosuid,nodev,X-mount.mkdir`,
    };
}

/** The base folder once more, where it can be written to. */
export const WRITABLE: Mount = {
    source: ".",
    target: "writable",
    type: "none",
    options: "bind,nosuid,nodev",
};

/** Layers under a writable one. All are names relative to the base folder: commas need no quoting. */
export function overlay(target: string, layers: readonly string[], writable: string): Mount {
    const options = [
        `lowerdir=${layers.join(":")}`,
        `upperdir=writable/${writable}/upper`,
        `workdir=writable/${writable}/work`,
        "userxattr",
        "X-mount.mkdir",
    ].join(",");
    return { source: "overlay", target, type: "overlay", options };
}

export function mountTable(mounts: readonly Mount[]): string {
    return mounts
        .map(({ source, target, type, options }) =>
            [escaped(source), escaped(target), type, options, "0 0\n"].join(" ")
        )
        .join("");
}

/** Blanks and backslashes as octal numbers, as the file's format wants. */
function escaped(place: string): string {
    return place.replace(
        /[\s\\#]/g,
        (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`
    );
}
