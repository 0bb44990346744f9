/** The beginning of a PNG file of so many pixels, which is all that tells its size. */
export function pngOf(width: number, height: number): Buffer {
    const size = Buffer.alloc(8);
    size.writeUInt32BE(width, 0);
    size.writeUInt32BE(height, 4);
    return Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), size]);
}
