#include "lab/item.h"

#include <string.h>

#define GROUP(name) extern const ItemGroup group_##name;
#include "lab/group.def"
#undef GROUP

const ItemGroup *const item_groups[] = {
#define GROUP(name) &group_##name,
#include "lab/group.def"
#undef GROUP
};
const size_t item_group_count = sizeof item_groups / sizeof *item_groups;

const ItemGroup *group_find(const char *name) {
    for (size_t g = 0; g < item_group_count; g++)
        if (strcmp(item_groups[g]->name, name) == 0) return item_groups[g];
    return NULL;
}

const Item *item_find(unsigned number) {
    for (size_t g = 0; g < item_group_count; g++)
        for (size_t k = 0; k < item_groups[g]->count; k++)
            if (item_groups[g]->items[k].number == number) return &item_groups[g]->items[k];
    return NULL;
}

const ItemGroup *group_of(const Item *item) {
    for (size_t g = 0; g < item_group_count; g++) {
        const ItemGroup *group = item_groups[g];
        if (item >= group->items && item < group->items + group->count) return group;
    }
    return NULL;
}
