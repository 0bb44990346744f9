/** The items by key, in order; as `Map.groupBy`, which Node 20 lacks. */
export function groupBy<Key, Item>(
    items: Iterable<Item>,
    keyOf: (item: Item) => Key
): Map<Key, [Item, ...Item[]]> {
    const groups = new Map<Key, [Item, ...Item[]]>();
    for (const item of items) {
        const key = keyOf(item);
        const group = groups.get(key);
        if (group) group.push(item);
        else groups.set(key, [item]);
    }
    return groups;
}
