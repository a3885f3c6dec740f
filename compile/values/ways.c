#include "compile/values/ways.h"

#include "compile/values/instances.h"

static const double RUN_AT_ONCE = 0x1p18, RUN_TO_SHOW = 0x1p23, RUN_AT_ALL = 0x1p25;

ValuesWay values_way(const Domain *domain) {
    double pairs = instances_size(domain).pairs;
    if (domain->max_length > INSTANCES_LONGEST || pairs > RUN_AT_ALL) return VALUES_PRODUCTS;
    return pairs <= RUN_AT_ONCE ? VALUES_RUN : VALUES_PRODUCTS_FIRST;
}

bool values_way_shows(const Domain *domain) {
    return values_way(domain) != VALUES_PRODUCTS && instances_size(domain).pairs <= RUN_TO_SHOW;
}

double values_way_work(const Domain *domain) {
    return instances_size(domain).pairs / 2;
}
