#include "lab/contraction.h"

#include "lab/simplex.h"

#include <math.h>

double dobrushin(Matrix p, size_t first) {
    double most = 0;
    for (size_t i = first; i < p.rows; i++)
        for (size_t k = first; k < i; k++)
            most = fmax(most, total_variation(matrix_row(p, i), matrix_row(p, k), p.cols));
    return most;
}

double diameter(Matrix x, size_t first) {
    double most = 0;
    for (size_t i = first; i < x.rows; i++)
        for (size_t k = first; k < i; k++) {
            double square = 0;
            for (size_t c = 0; c < x.cols; c++)
                square += pow(*matrix_at(x, i, c) - *matrix_at(x, k, c), 2);
            most = fmax(most, sqrt(square));
        }
    return most;
}
