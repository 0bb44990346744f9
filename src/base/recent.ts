/** Values by key up to a total size; those used longest ago go first. */
export class Recent<Value> {
    private readonly entries = new Map<string, { readonly value: Value; readonly size: number }>();
    private size = 0;

    constructor(private readonly maxSize: number) {}

    get(key: string): Value | undefined {
        const entry = this.entries.get(key);
        if (entry) this.set(key, entry.value, entry.size);
        return entry?.value;
    }

    set(key: string, value: Value, size = 1): void {
        this.remove(key);
        this.entries.set(key, { value, size });
        this.size += size;
        for (const oldest of this.entries.keys()) {
            if (this.size <= this.maxSize) break;
            this.remove(oldest);
        }
    }

    private remove(key: string): void {
        this.size -= this.entries.get(key)?.size ?? 0;
        this.entries.delete(key);
    }
}
