import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadHandle } from "./file-tree.js";

export class MemoryHandle implements ReadHandle {
    private descriptor: number | undefined;

    constructor(private readonly content: Uint8Array) {}

    /** Of a file without a name, for what reads from descriptors only. */
    get fd(): number {
        this.descriptor ??= unnamedFile(this.content);
        return this.descriptor;
    }

    async read(buffer: Buffer, offset: number, length: number, position: number) {
        const piece = this.content.subarray(position, position + length);
        buffer.set(piece, offset);
        return { bytesRead: piece.length };
    }

    async close(): Promise<void> {
        if (this.descriptor !== undefined) closeSync(this.descriptor);
        this.descriptor = undefined;
    }
}

function unnamedFile(content: Uint8Array): number {
    const name = join(tmpdir(), `north-${randomBytes(12).toString("hex")}`);
    const descriptor = openSync(name, "wx+", 0o600);
    try {
        unlinkSync(name);
        for (let written = 0; written < content.length;) {
            written += writeSync(descriptor, content, written, content.length - written, written);
        }
    } catch (error) {
        closeSync(descriptor);
        throw error;
    }
    return descriptor;
}
