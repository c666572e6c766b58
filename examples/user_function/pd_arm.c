/* SPDX-License-Identifier: Apache-2.0
 *
 *   cc -shared -fPIC -I include -o libpd_arm.so examples/user_function/pd_arm.c -lm
 *   build/pegrasp run examples/user_function/arm.json --h 0.002 --user-function ./libpd_arm.so
 *
 * Prints the largest error of the second half of the run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pegrasp/user_function.h"

enum { most_motors = 16 };

struct memory {
  double before[most_motors]; /* errors of the last step [rad] */
  double largest;             /* since t = 2 s */
};

int pegrasp_user_function(struct pegrasp_user_step* step) {
  struct memory* own = (struct memory*)*step->user_data;
  int i;
  if (own == NULL) {
    own = (struct memory*)calloc(1, sizeof *own);
    if (own == NULL) return 1;
    *step->user_data = own;
  }
  if (step->step < 0) {
    fprintf(stderr, "largest error after 2 s: %.6f rad\n", own->largest);
    free(own);
    return 0;
  }
  if (step->motor_count > most_motors || step->motor_count > step->joint_count) return 2;
  for (i = 0; i < step->motor_count; ++i) { /* motor i drives joint i */
    const double e = sin(step->time) - step->joint_turn[i];
    const double rate = step->step == 0 ? 0.0 : (e - own->before[i]) / step->h;
    step->target[i] = 50.0 * e + 5.0 * rate; /* de/dt of sin(t) - turn: damps the turn, and feeds cos(t) forward */
    own->before[i] = e;
    if (step->time > 2.0 && fabs(e) > own->largest) own->largest = fabs(e);
  }
  return 0;
}
