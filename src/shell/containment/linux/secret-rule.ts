import { lstatSync, type Stats } from "node:fs";
import path from "node:path";
import { readShortFile } from "../../../base/read-regular-file.js";

const MAX_CERTIFICATES = 1024 ** 2;

/** Whether a file outside the project is masked: by its name, and the machine's own by its mode too. */
export function isSecretFile(
    place: string,
    name: string,
    isSystem: boolean,
    isSecret: (path: string) => boolean
): boolean {
    const status = statsOf(place);
    // Where a link leads to, the rule holds as well.
    if (status === undefined || status.isSymbolicLink()) return false;
    if (isSystem && !isOpenToAll(place)) return true;
    return isSecret(name) && !isCertificate(place);
}

/** What the machine's other users may not read is not for commands either. */
function isOpenToAll(file: string): boolean {
    for (let place = file; place !== "/"; place = path.dirname(place)) {
        const status = statsOf(place);
        if (!status) return false;
        if ((status.mode & (status.isDirectory() ? 0o001 : 0o004)) === 0) return false;
    }
    return true;
}

/** Every program that speaks TLS needs the certificates of authorities. */
function isCertificate(file: string): boolean {
    const text = readShortFile(file, MAX_CERTIFICATES);
    return text !== undefined && text.includes("-BEGIN CERT") && !text.includes("PRIVATE KEY-");
}

/** `undefined` for what is not there, and for what this user cannot reach and a command cannot either. */
export function statsOf(place: string): Stats | undefined {
    try {
        return lstatSync(place);
    } catch {
        return undefined;
    }
}
