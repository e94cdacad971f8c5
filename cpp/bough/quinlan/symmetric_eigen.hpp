// The eigenvector of the greatest eigenvalue of a symmetric matrix: Householder's reduction to tridiagonal
// form and the QL algorithm with implicit shifts (Bowdler, Martin, Reinsch and Wilkinson 1968), as in EISPACK
// and Weka, so that the sign of the vector is theirs.
#pragma once

#include <vector>

namespace bough::quinlan {

// matrix: n x n, row by row. The first of equal eigenvalues in ascending order counts.
std::vector<double> principal_axis(const std::vector<double>& matrix, int n);

}  // namespace bough::quinlan
