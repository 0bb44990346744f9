import { createHash } from "node:crypto";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** Contents by path. */
type Files = Readonly<Record<string, string>>;

/** A compressed archive, as npm and cargo unpack it; see POSIX, pax, "ustar". */
export function tarGzOf(files: Files): Buffer {
    const entries = Object.entries(files).flatMap(([name, text]) => {
        const content = Buffer.from(text);
        const header = Buffer.alloc(512);
        header.write(name, 0);
        const octal = (value: number, at: number, length: number) =>
            header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
        octal(0o644, 100, 8);
        octal(0, 108, 8);
        octal(0, 116, 8);
        octal(content.length, 124, 12);
        octal(0, 136, 12);
        header.write("        0", 148);
        header.write("ustar\x0000", 257);
        octal(
            header.reduce((sum, byte) => sum + byte, 0),
            148,
            7
        );
        const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
        return [header, content, padding];
    });
    return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
}

/** A zip archive, which is what a Python wheel is; see APPNOTE.TXT, 4.3. */
export function zipOf(files: Files): Buffer {
    const bodies: Buffer[] = [];
    const directory: Buffer[] = [];
    let offset = 0;
    for (const [name, text] of Object.entries(files)) {
        const [content, path] = [Buffer.from(text), Buffer.from(name)];
        const packed = deflateRawSync(content);
        const fields = Buffer.alloc(26);
        fields.writeUInt16LE(20, 0);
        fields.writeUInt16LE(8, 4);
        fields.writeUInt16LE(0x21, 8);
        fields.writeUInt32LE(crc32(content), 10);
        fields.writeUInt32LE(packed.length, 14);
        fields.writeUInt32LE(content.length, 18);
        fields.writeUInt16LE(path.length, 22);
        const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, path, packed]);
        const attributes = Buffer.alloc(14);
        attributes.writeUInt32LE(offset, 10);
        const central = [Buffer.from("PK\x01\x02\x14\x00"), fields, attributes, path];
        directory.push(Buffer.concat(central));
        bodies.push(local);
        offset += local.length;
    }
    const listed = Buffer.concat(directory);
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06");
    end.writeUInt16LE(bodies.length, 8);
    end.writeUInt16LE(bodies.length, 10);
    end.writeUInt32LE(listed.length, 12);
    end.writeUInt32LE(offset, 16);
    return Buffer.concat([...bodies, listed, end]);
}

export function sha256Of(bytes: Buffer): string {
    return createHash("sha256").update(bytes).digest("hex");
}
