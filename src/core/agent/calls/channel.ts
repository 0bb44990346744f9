/** A queue between producers that run and one consumer that pulls. */
export interface Channel<Item> extends AsyncIterable<Item> {
    push(item: Item): void;
    /** No more items; those pushed before are still delivered. */
    end(): void;
}

export function createChannel<Item>(): Channel<Item> {
    const items: Item[] = [];
    let isEnded = false;
    let wake: (() => void) | undefined;
    const notify = () => {
        wake?.();
        wake = undefined;
    };
    return {
        push(item) {
            items.push(item);
            notify();
        },
        end() {
            isEnded = true;
            notify();
        },
        async *[Symbol.asyncIterator]() {
            for (;;) {
                const item = items.shift();
                if (item !== undefined) yield item;
                else if (isEnded) return;
                else await new Promise<void>((resolve) => (wake = resolve));
            }
        },
    };
}
