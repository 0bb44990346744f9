/** One line of fstab(5). */
export interface Mount {
    readonly source: string;
    readonly target: string;
    readonly type: "none" | "overlay" | "tmpfs" | "devpts";
    readonly options: string;
}

export function bind(source: string, target: string, access: "rw" | "ro" = "ro"): Mount {
    // Must repeat `ro`: any flag would make the bind mount writable, even of a read-only source.
    // `X-mount.mkdir` creates the target, which a covering mount may have hidden.
    const options = `rbind,${access === "ro" ? "ro," : ""}nosuid,nodev,X-mount.mkdir`;
    return { source, target, type: "none", options };
}

/** A host device; everything else is mounted `nodev`. */
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

/** A second, writable mount of the base folder. */
export const WRITABLE: Mount = {
    source: ".",
    target: "writable",
    type: "none",
    options: "bind,nosuid,nodev",
};

/**
 * An overlay with a writable top. Names are relative to the base folder, so that commas need no
 * escaping.
 */
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

/** Octal escapes for blanks and backslashes, as fstab requires. */
function escaped(place: string): string {
    return place.replace(
        /[\s\\#]/g,
        (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`
    );
}
