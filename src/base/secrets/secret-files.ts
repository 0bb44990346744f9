import path from "node:path";
import { readRegularFile } from "../read-regular-file.js";
import { holdsCredential } from "./credentials.js";
import { judgeName } from "./secret-names.js";

/** What is read of a file with a name that does not decide; longer settings count as a secret. */
const [MAX_KEYS, MAX_SETTINGS] = [256 * 1024, 4 * 1024 ** 2];

/**
 * Whether a file probably holds a secret: the one rule for tools, mentions and contained commands.
 * Its name decides, or its content where many harmless files have such a name: a `.pem` with
 * certificates only, an `.npmrc` without a token. `name` is what of the path counts, and `place`
 * where `read` finds the file.
 */
export function isSecretFile(
    name: string,
    location: string | Buffer,
    read = readRegularFile
): boolean {
    const verdict = judgeName(name);
    switch (verdict) {
        case "secret":
            return true;
        case "ordinary":
            return false;
        case "secret-or-program":
            return !isProgram(read(location, 4, "follow")?.bytes);
        case "keys":
            return isPrivate(read(location, MAX_KEYS, "follow"), path.extname(name));
        case "settings": {
            const found = read(location, MAX_SETTINGS, "follow");
            if (found === undefined) return false;
            return !found.isWhole || holdsCredential(found.bytes.toString("latin1"), "settings");
        }
        default:
            return verdict satisfies never;
    }
}

/** ELF, a script or Mach-O. */
function isProgram(start: Buffer = Buffer.of()): boolean {
    const magic = start.toString("latin1");
    return /^(?:\x7fELF|#!|[\xca\xcf\xfe][\xfa\xed\xfe])/.test(magic);
}

/** Whether a file of keys holds a private one, or cannot be judged. */
function isPrivate(read: ReturnType<typeof readRegularFile>, extension: string): boolean {
    if (read === undefined) return true;
    const text = read.bytes.toString("latin1");
    if (text.includes("PRIVATE KEY")) return true;
    if (!read.isWhole) return !/^\.(?:pem|crt|cer|cert|gpg|kbx)$/i.test(extension);
    if (text.includes("-----BEGIN ")) return false;
    if (/^\.(?:gpg|pgp|kbx)$/i.test(extension)) return isSecretPacket(read.bytes[0] ?? 0);
    // DER: a certificate has no other form.
    return !/^\.(?:crt|cer|cert)$/i.test(extension) && read.bytes.length > 0;
}

/** OpenPGP: tags 5 and 7 are secret keys, in the old and in the new form of a packet's header. */
function isSecretPacket(header: number): boolean {
    const tag = header & 0x40 ? header & 0x3f : (header & 0x3f) >> 2;
    return tag === 5 || tag === 7;
}
